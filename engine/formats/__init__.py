"""Text forms of positions and match states; `docs/reference/formats.md` has worked examples of each."""
