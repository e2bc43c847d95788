"""Bearoff databases: building, files, and the evaluators that read them."""

from gammond.engine.bearoff.databases import (
    BearoffEvaluators,
    defer_bearoff,
    load_bearoff,
    open_table,
    pack_tables,
    save_table,
)

__all__ = [
    "BearoffEvaluators",
    "defer_bearoff",
    "load_bearoff",
    "open_table",
    "pack_tables",
    "save_table",
]
