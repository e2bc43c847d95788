"""Tables where people and engines play, as a hub without sockets, threads or clocks of its own."""
