"""Training of nets as in the first years of TD-Gammon, and studies of it."""
