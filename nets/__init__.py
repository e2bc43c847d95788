"""Nets and players: encoders, ONNX evaluators, the manifest, the catalogue of names, shipped weights."""
