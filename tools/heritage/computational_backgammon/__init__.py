"""Nets as in the first years of TD-Gammon: how they learn, and studies of what makes them learn."""
