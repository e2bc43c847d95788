"""The table of tools: where each is, and in which group of the help."""

from __future__ import annotations

TOOL_GROUPS = {
    "Use": {
        "eval": "gammond.tools.ask.eval",
        "hint": "gammond.tools.ask.hint",
        "cube": "gammond.tools.ask.cube",
        "matrix": "gammond.tools.ask.matrix",
        "rollout": "gammond.tools.rollout.command",
        "analyse": "gammond.tools.analyse.command",
        "board": "gammond.tools.ask.board",
        "convert": "gammond.tools.convert.command",
        "batch": "gammond.tools.batch.command",
        "serve": "gammond.tools.serve.command",
    },
    "Set up": {
        "config": "gammond.tools.config",
        "players": "gammond.tools.players",
        "nets": "gammond.tools.nets",
        "doctor": "gammond.tools.doctor",
        "prepare": "gammond.tools.prepare",
        "bearoff": "gammond.tools.bearoff",
        "hypergammon": "gammond.tools.hypergammon.command",
        "store": "gammond.tools.store.command",
        "cluster": "gammond.tools.cluster",
        "accounts": "gammond.tools.accounts",
        "completion": "gammond.tools.completion",
    },
    "Measure": {
        "tournament": "gammond.tools.tournament.command",
        "gnubg-match": "gammond.tools.gnubg.match",
        "measure": "gammond.tools.measure.command",
        "bench": "gammond.tools.bench.command",
        "perft": "gammond.tools.perft",
    },
    "Train": {
        "train": "gammond.tools.train.command",
        "export": "gammond.tools.export",
    },
    "Heritage": {
        "heritage": "gammond.tools.heritage.command",
    },
}
"""Heading of the help -> its tools: name -> the module with ``SUMMARY`` and ``COMMAND``."""

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
