"""Strength from results: means of paired games with intervals, sequential tests, Elo."""
