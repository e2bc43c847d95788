"""Training runs: settings, folders, progress curves and strength measurements."""
