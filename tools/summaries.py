"""What commands are for, read from their sources: listing them imports none."""

from __future__ import annotations

import ast
import importlib.util
from pathlib import Path


def read_summary(module: str) -> str:
    """What a command is for: the ``SUMMARY`` of its module.

    Args:
        module: Name of the module; it is not imported.

    Returns:
        A phrase in lower case without full stop; empty where the module has none.
    """
    spec = importlib.util.find_spec(module)
    if spec is None or spec.origin is None:
        return ""
    for node in ast.parse(Path(spec.origin).read_bytes()).body:
        match node:
            case (
                ast.Assign(targets=[ast.Name(id="SUMMARY")], value=value)
                | ast.AnnAssign(target=ast.Name(id="SUMMARY"), value=ast.expr() as value)
            ):
                return str(ast.literal_eval(value))
    return ""
