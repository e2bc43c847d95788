"""Trainers and studies of the five founding documents, a package for each."""
