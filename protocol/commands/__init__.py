"""The command table and what each command does."""
