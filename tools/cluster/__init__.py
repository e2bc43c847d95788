"""`gammond cluster`: begin a cluster, add workers to it, and look at it."""
