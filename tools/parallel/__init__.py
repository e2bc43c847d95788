"""Work on many cores and machines: one way to hand out tasks, in processes here or on a cluster."""
