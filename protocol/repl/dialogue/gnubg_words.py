"""What people type who are used to GNU Backgammon's command line."""

from __future__ import annotations

import re

TRANSLATIONS = {
    "load match FILE, import mat FILE": "open FILE",
    "save match FILE, export match mat FILE": "save FILE",
    "next rolled": "next roll",
    "next marked": "next error",
    "analyse session": "analyse match",
    "list game": "errors",
    "pipcount, pips": "pip",
    "new match N": "new N",
    "new game": "new",
    "new session": "new 0",
    "show board": "board",
    "show score": "score",
    "show pipcount": "pip",
    "show gnubgid, show xgid": "id",
    "set board ID, set gnubgid ID, set xgid XGID": "position ID",
    "set dice A B": "dice A B",
    "set turn NAME": "set game.turn NAME",
    "set cube value N": "set game.cube N",
    "set jacoby on|off, jacoby on|off": "set game.jacoby on|off",
    "set beavers N, beavers on|off": "set game.beavers on|off",
    "show jacoby, show beavers, rules": "show rules",
    "set tutor on|off": "tutor on|off",
    "agree": "accept",
    "decline": "reject",
    "resign normal": "resign single",
    "exit": "quit",
}
"""What GNU Backgammon's users type -> the line that does it here, as ``help gnubg`` lists them."""

EXPLANATIONS = {
    "annotate": "comments are shown, not written; 'errors' lists what was lost",
    "clear": "'edit' sets up the checkers, 'new' begins a game",
    "end": "'best' does what 'hint' finds best; 'level' sets how well the engine plays",
    "export": "'save FILE' writes the open match, or your games; 'id' prints the position",
    "external": "'gammond serve --gnubg PORT', outside this terminal, lets GNU Backgammon play against it",
    "import": "'open FILE' opens a match file; 'gammond batch FILE', in the shell, evaluates positions",
    "load": "'open FILE' opens a match file; the game in progress is kept by itself",
    "nets": "'set engine.net NAME' sets the net; 'gammond nets', outside this terminal, lists them",
    "players": "'play against NAME' sets the opponent; 'gammond players', outside this terminal, lists them",
    "raccoon": "match files may have it after a beaver, to turn the cube once more; here 'take' or 'drop' "
    "answers a beaver",
    "record": "'review' shows how you played this game",
    "relational": "there is no database of games; 'save FILE' writes them as a .mat file",
    "swap": "'play' goes on for the side to act; 'set game.turn p1' gives the turn to X",
    "train": "'gammond train', outside this terminal, trains nets",
}
"""Words of GNU Backgammon, and of the shell, without a twin here -> what to do instead."""

_RULES = (
    (r"new\s+match\s+(?:to\s+)?([0-9]+)", r"new \1"),
    (r"new\s+game", "new"),
    (r"new\s+session", "new 0"),
    (r"show\s+(board|score|matrix)", r"\1"),
    (r"(?:show\s+)?(?:pip|pips|pipcount|pip\s+counts?)", "pip"),
    (r"show\s+(?:gnubgid|xgid|ogid|id|positionid|matchid)", "id"),
    (r"show\s+match", "score"),
    (r"show\s+dice", "show turn"),
    (r"show\s+(?:settings|player|variation)", "keys"),
    (r"set\s+(?:board|gnubgid|xgid|ogid|positionid)\s+(.+)", r"position \1"),
    (r"set\s+matchid\s+(\S+)", r"Match ID: \1"),
    (r"set\s+dice\s+([1-6])\s*([1-6])", r"dice \1 \2"),
    (r"set\s+turn\s+(p0|p1)", r"set game.turn \1"),
    (r"set\s+cube\s+value\s+([0-9]+)", r"set game.cube \1"),
    (r"set\s+cube\s+(?:centre|center)", "set game.cube_owner center"),
    (r"(?:set\s+)?jacoby\s+(\S+)", r"set game.jacoby \1"),
    (r"(?:set\s+)?beavers?\s+(?:0|off)", "set game.beavers off"),
    (r"(?:set\s+)?beavers?\s+(?:[1-9]|on)", "set game.beavers on"),
    (r"raccoons", "raccoon"),
    (r"(?:show\s+)?(?:rules|jacoby|beavers)|show\s+(?:beaver|crawford)", "show rules"),
    (r"show\s+(?:engine|level|tutor\s+skill)", "show strength"),
    (r"set\s+(tutor|chances|level|plies)\s+(\S+)", r"\1 \2"),
    (r"set\s+(theme|opponent|length|resume)\s+(.+)", r"config \1 \2"),
    (r"resign\s+normal", "resign single"),
    (r"load\s+(?:match|game|position)\s+(.+)", r"open \1"),
    (r"import\s+(?:auto|mat|sgg|tmg|snowietxt|empire|party|oldmoves|xg)\s+(.+)", r"open \1"),
    (r"save\s+(?:match|game)\s+(.+)", r"save \1"),
    (r"export\s+(?:match|session|game)\s+(?:mat|sgf)\s+(.+)", r"save \1"),
    (r"(next|previous)\s+rolled", r"\1 roll"),
    (r"(next|previous)\s+c?marked", r"\1 error"),
    (r"(next|previous)\s+move", r"\1"),
    (r"(first|last)\s+move", r"\1 game"),
    (r"anal[yi][sz]e\s+session", "analyse match"),
    (r"anal[yi][sz]e\s+(?:move|position)", "hint"),
    (r"analyze(|\s.*)", r"analyse\1"),
    (r"list(?:\s.*)?", "errors"),
    (r"show\s+(?:statistics|record)\b.*", "errors"),
)

_EXPLAINED_LINES = (
    (r"set\s+player\b.*", "'play against NAME' sets the opponent, 'level NAME' how well the engine plays"),
    (r"roll\s*([1-6])[\s,-]*([1-6])", r"'dice \1 \2' sets a roll, 'roll' rolls at random"),
)
"""Lines that look like commands -> what to do instead."""


def translate(line: str) -> str:
    """Return a line of GNU Backgammon's in the words of this terminal; any other line as it is."""
    for pattern, ours in _RULES:
        if found := re.fullmatch(pattern, line, re.IGNORECASE):
            return found.expand(ours)
    return line


def explain(word: str) -> str:
    """Return what to do instead of a command that only GNU Backgammon has; empty for other words."""
    return EXPLANATIONS.get(word, "")


def explain_line(line: str) -> str:
    """Return what to do instead of a line that means nothing here though its word does; empty for others."""
    for pattern, instead in _EXPLAINED_LINES:
        if found := re.fullmatch(pattern, line, re.IGNORECASE):
            return found.expand(instead)
    return ""


def list_words() -> list[str]:
    """Return the table that ``help gnubg`` shows."""
    width = max(map(len, TRANSLATIONS)) + 2
    return [
        "GNU Backgammon's words, and ours; most of theirs are understood as they are:",
        *(f"  {theirs:<{width}}{ours}" for theirs, ours in TRANSLATIONS.items()),
        *(f"  {word:<{width}}{meaning}" for word, meaning in EXPLANATIONS.items()),
    ]
