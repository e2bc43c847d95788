"""The table of tools: where each is, and in which group of the help."""

from __future__ import annotations

TOOL_GROUPS = {
    "Use": {
        "eval": "tools.ask.eval",
        "hint": "tools.ask.hint",
        "cube": "tools.ask.cube",
        "matrix": "tools.ask.matrix",
        "rollout": "tools.rollout.command",
        "analyse": "tools.analyse.command",
        "board": "tools.ask.board",
        "convert": "tools.convert.command",
        "batch": "tools.batch.command",
        "serve": "tools.serve.command",
    },
    "Set up": {
        "config": "tools.config",
        "players": "tools.players",
        "nets": "tools.nets",
        "doctor": "tools.doctor",
        "prepare": "tools.prepare",
        "bearoff": "tools.bearoff",
        "hypergammon": "tools.hypergammon.command",
        "store": "tools.store.command",
        "cluster": "tools.cluster.command",
        "accounts": "tools.accounts",
        "completion": "tools.completion",
    },
    "Measure": {
        "tournament": "tools.tournament.command",
        "gnubg-match": "tools.gnubg.match",
        "measure": "tools.measure.command",
        "bench": "tools.bench.command",
        "perft": "tools.perft",
    },
    "Train": {
        "train": "tools.train.command",
        "export": "tools.export",
    },
    "Heritage": {
        "heritage": "tools.heritage.command",
    },
}
"""Heading of the help -> its tools: name -> the module with ``SUMMARY``, ``add_arguments(parser)`` and
``main(args) -> int``."""

TOOLS = {name: module for tools in TOOL_GROUPS.values() for name, module in tools.items()}
"""Name of a tool -> its module."""

OTHER_WORDS = {
    "analyze": "analyse",
    "best": "hint",
    "move": "hint",
    "moves": "hint",
    "equity": "eval",
    "evaluate": "eval",
    "double": "cube",
    "take": "cube",
    "show": "board",
    "id": "convert",
    "install": "prepare",
    "play": "",
    "review": "",
    "repl": "",
}
"""What people try first -> the tool; empty where it is a command of the terminal."""

FORMER_NAMES = {
    "error-rate": "measure levels",
    "search-quality": "measure pruning",
    "star": "measure cutoffs",
    "cube-efficiency": "measure cube",
    "frontier": "measure frontier",
    "train expert-moves": "heritage expert-moves",
    "train mimic": "heritage mimic",
    "train mimic-study": "train vary mimic",
    "train classic": "heritage classic",
    "train classic-study": "train vary classic",
    "train climb": "heritage climb",
    "train climb-study": "heritage climb-study",
    "train heuristic-net": "heritage heuristic-net",
    "train ascend": "heritage ascend",
}
"""Command of version 0.1 -> what it is called now."""
