"""`gammond measure cube`: how live the cube is in positions of each phase."""
