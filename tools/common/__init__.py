"""What all tools share: processes, files, figures, progress, interrupts; players by name, and strength."""
