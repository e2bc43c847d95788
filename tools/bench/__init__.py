"""`gammond bench`: the speed of everything, compared with peers."""
