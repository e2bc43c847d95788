"""The web: HTTP and WebSockets, as one more transport. Needs the extra ``web``."""
