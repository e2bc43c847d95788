"""Labels: positions worth learning from, with outcomes from exact backups or rollouts."""
