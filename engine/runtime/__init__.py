"""What lies under the engine: the machine, files, worker threads, the version."""
