"""Training of nets: ``gammond train`` and what it is made of."""
