"""Cube decisions with rolled-out values: drawn, rolled out, and what players lose on them."""
