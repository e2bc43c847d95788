"""gammond, a backgammon engine: evaluate, rank, decide about the cube, roll out."""

from gammond._finder import install_finder

install_finder()
