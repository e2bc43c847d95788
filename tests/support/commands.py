"""Commands run in this process."""

from __future__ import annotations

import argparse


def run_tool(module, *words) -> int:
    """Run the command of a module; return the exit status. Errors are raised, not printed."""
    parser = argparse.ArgumentParser()
    module.add_arguments(parser)
    return module.main(parser.parse_args([str(word) for word in words]))
