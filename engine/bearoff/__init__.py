"""Bearoff databases: building, files, and the evaluators that read them."""

from gammond.engine.bearoff.databases import (
    BearoffEvaluators,
    BearoffTable,
    defer_bearoff,
    load_bearoff,
    open_table,
    save_table,
)

__all__ = [
    "BearoffEvaluators",
    "BearoffTable",
    "defer_bearoff",
    "load_bearoff",
    "open_table",
    "save_table",
]
