"""Protocols of evaluators, which estimate outcomes or score plays, and the pruning of plays."""
