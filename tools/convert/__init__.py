"""`gammond convert`: positions in other forms, matches in other formats."""
