"""`gammond cube-efficiency`: how live the cube is in positions of each phase."""
