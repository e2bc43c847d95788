"""`gammond measure matches`: analyses of the same matches beside each other."""
