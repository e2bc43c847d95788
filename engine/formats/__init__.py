"""Text forms of positions and match states; `docs/formats.md` describes each with worked examples."""
