"""Games at the session's table: a person against the engine, two people, or nobody."""
