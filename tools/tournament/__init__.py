"""`gammond tournament`: players against each other."""
