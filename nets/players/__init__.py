"""Players other than evaluators and those of founding documents."""
