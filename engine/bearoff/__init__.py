"""Bearoff databases: building, files, and the evaluators that read them."""

from engine.bearoff.databases import BearoffEvaluators, BearoffTable, load_bearoff, open_table, save_table

__all__ = ["BearoffEvaluators", "BearoffTable", "load_bearoff", "open_table", "save_table"]
