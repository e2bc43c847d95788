"""`gammond bench`: how fast everything is, beside its peers."""
