"""Records of games, a person's own or those of a match file."""
