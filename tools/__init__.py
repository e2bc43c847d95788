"""The offline programs behind the one command, ``gammond``."""
