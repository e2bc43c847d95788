"""Compiled loops of encoders, nets and pubeval."""
