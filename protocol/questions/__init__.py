"""What the engine can be asked, as values: each is planned, and answered with the engine's own result.

Dialects read what came into a question and write its result; here nothing is text.
"""
