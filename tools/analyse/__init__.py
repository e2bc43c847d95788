"""`gammond analyse`: what the players of match files did wrong."""
