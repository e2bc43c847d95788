"""Positions that nothing is trained on, and the errors of nets on them."""
