"""Where bytes meet the outside: stdin and stdout, sockets, worker threads."""
