"""Damages of one row of a match file: a line of text, a record of eXtreme Gammon, a ply of OGXM.

Each returns the rows that stand in the place of a row; the row itself where there is nothing to damage.
"""

import random
import re
from collections.abc import Callable, Mapping
from copy import deepcopy
from typing import Any

import numpy as np

from gammond.engine.match_files.xg.records import (
    CUBE,
    GAME_FOOTER,
    GAME_HEADER,
    LAYOUTS,
    MATCH_HEADER,
    PLAY,
    RECORD_BYTES,
)
from tests.engine.match_files.sites.site_files import NAMES

Row = Any
"""Text, bytes, or a document."""

Damage = Callable[[Row, random.Random], list[Row]]

WORDINGS = ("Wins {} points and the game", "wins {} pts.", "Won {} point", "WINS {} POINTS!")


def _swap_columns(row: str, rng: random.Random) -> str:
    found = re.fullmatch(r"(\s*\d+\) )(\d\d: .*?)(\s{2,})(\d\d: .*)", row)
    return f"{found[1]}{found[4]}{found[3]}{found[2]}" if found else row


def _change_dice(row: str, rng: random.Random) -> str:
    dice = f"{rng.randint(1, 6)}{rng.randint(1, 6)}"
    if re.search(r"\(\d \d\)", row):
        return re.sub(r"\(\d \d\)", f"({dice[0]} {dice[1]})", row)
    return re.sub(r"\b[1-6][1-6](?=:|[a-z]{2}| \S+/)", dice, row, count=1)


def _word_result(row: str, rng: random.Random) -> str:
    words = rng.choice(WORDINGS)
    return re.sub(r"Wins (\d+) points?( and the match)?", lambda found: words.format(found[1]), row)


def _change_winner(row: str, rng: random.Random) -> str:
    """Name the other player where a result is stated."""
    if found := re.fullmatch(r"(\s+)(Wins .*)", row):
        return found[2] if len(found[1]) > 20 else f"{'':40}{found[2]}"
    if found := re.fullmatch(r"(  )(-?)(\d+ 1[456] \d+ wins)", row):
        return f"{found[1]}{'' if found[2] else '-'}{found[3]}"
    for sign in (
        r"(?P<name>[XO])(?=: wins)",
        r"(?P<name>one|two)(?= wins)",
        r"(?<=RE\[)(?P<name>[WB])(?=\+)",
    ):
        if found := re.search(sign, row):
            others = {"X": "O", "O": "X", "W": "B", "B": "W", "one": "two", "two": "one"}
            return row[: found.start()] + others[found["name"]] + row[found.end() :]
    return row


def _garble(row: str, rng: random.Random) -> str:
    return "".join(rng.choice("qxz#! ") for _ in range(30))


def _of_text(change: Callable[[str, random.Random], str]) -> Damage:
    return lambda row, rng: [change(row, rng)]


_LIKE_FOR_ALL: Mapping[str, Damage] = {
    "dropped": lambda row, rng: [],
    "doubled": lambda row, rng: [row, row],
}

TEXT_DAMAGES: Mapping[str, Damage] = _LIKE_FOR_ALL | {
    name: _of_text(change)
    for name, change in {
        "swapped": _swap_columns,
        "cut": lambda row, rng: row[: rng.randrange(len(row) + 1)],
        "cut in front": lambda row, rng: row[rng.randrange(len(row) + 1) :],
        "nonsense": _garble,
        "nonsense in it": lambda row, rng: re.sub(r"\d+[/-]\d+", "q?x", row, count=1),
        "wrong dice": _change_dice,
        "wrong move": lambda row, rng: re.sub(
            r"\d+(?=[/-])", lambda at: str(int(at[0]) % 24 + 1), row, count=1
        ),
        "a hit too many": lambda row, rng: re.sub(r"(?<=\d)([/-]\d+)(?![\d*])", r"\1*", row, count=1),
        "a hit missing": lambda row, rng: row.replace("*", ""),
        "another wording": _word_result,
        "no number": lambda row, rng: re.sub(r"^\s*\d+[)\t]", "", row),
        "another number": lambda row, rng: re.sub(r"^( *)\d+(?=[)\t])", r"\g<1>77", row),
        "no names": lambda row, rng: row.replace(NAMES[0], "").replace(NAMES[1], ""),
        "another winner": _change_winner,
        "other points": lambda row, rng: re.sub(r"(?i)(wins?) \d+", r"\1 9", row),
        "blanks": lambda row, rng: re.sub(r" +", "  ", row),
    }.items()
}


def _keep_sign(damage: Damage) -> Damage:
    """Return a damage that leaves the sign between two entries."""
    return lambda row, rng: [
        row[: row.startswith("#")] + changed for changed in damage(row.removeprefix("#"), rng)
    ]


PARTY_DAMAGES: Mapping[str, Damage] = {name: _keep_sign(damage) for name, damage in TEXT_DAMAGES.items()}


def _find_kind(record: bytes) -> int:
    return record[8]


def _change_fields(
    kinds: tuple[int, ...], change: Callable[[np.void, random.Random], None]
) -> Callable[[bytes, random.Random], list[bytes]]:
    """Return a damage of some fields of the records of some kinds."""

    def damage(record: bytes, rng: random.Random) -> list[bytes]:
        if _find_kind(record) not in kinds:
            return [record]
        content = bytearray(record)
        change(np.frombuffer(content, LAYOUTS[_find_kind(record)], count=1)[0], rng)
        return [bytes(content)]

    return damage


def _set(name: str, *values: object) -> Callable[[np.void, random.Random], None]:
    def change(fields: np.void, rng: random.Random) -> None:
        fields[name] = rng.choice(values)

    return change


def _negate(name: str) -> Callable[[np.void, random.Random], None]:
    def change(fields: np.void, rng: random.Random) -> None:
        fields[name] = -fields[name]

    return change


def _change_score(fields: np.void, rng: random.Random) -> None:
    fields["score"][rng.randrange(2)] = rng.randrange(10)


def _move_checker(name: str) -> Callable[[np.void, random.Random], None]:
    def change(fields: np.void, rng: random.Random) -> None:
        places = fields[name]
        source = rng.choice(np.flatnonzero(places).tolist() or [1])
        sign = 1 if places[source] > 0 else -1
        places[source] -= sign
        places[rng.randrange(26)] += sign

    return change


def _alter_bytes(record: bytes, rng: random.Random) -> list[bytes]:
    altered = bytearray(record)
    size = LAYOUTS[_find_kind(record)].itemsize
    for _ in range(rng.choice((1, 4, 40))):
        altered[rng.randrange(size)] = rng.choice((0, 1, 127, 128, 255, rng.randrange(256)))
    return [bytes(altered)]


def _empty_names(fields: np.void, rng: random.Random) -> None:
    for name in ("name_1", "name_2", "short_name_1", "short_name_2"):
        fields[name] = 0


def _cut_record(record: bytes, rng: random.Random) -> list[bytes]:
    return [record[: rng.randrange(LAYOUTS[_find_kind(record)].itemsize)].ljust(len(record), b"\0")]


XG_DAMAGES: Mapping[str, Damage] = _LIKE_FOR_ALL | {
    "cut": _cut_record,
    "nonsense": lambda record, rng: [rng.randbytes(RECORD_BYTES)],
    "bytes": _alter_bytes,
    "another kind": lambda record, rng: [record[:8] + bytes([rng.randrange(256)]) + record[9:]],
    "wrong dice": _change_fields(
        (PLAY,), lambda fields, rng: _set("dice", [rng.randrange(8), 3])(fields, rng)
    ),
    "wrong move": _change_fields((PLAY,), _move_checker("result")),
    "wrong position": _change_fields((PLAY, CUBE), _move_checker("position")),
    "another seat": _change_fields((PLAY, CUBE), _negate("player")),
    "not played": _change_fields((PLAY,), _set("played", 0)),
    "another cube": _change_fields((PLAY, CUBE), _set("cube", -9, -2, -1, 1, 2, 3)),
    "another double": _change_fields((CUBE,), _set("double", -2, 0, 1)),
    "another response": _change_fields((CUBE,), _set("take", -1, 0, 1, 2)),
    "no names": _change_fields((MATCH_HEADER,), _empty_names),
    "another number": _change_fields((GAME_HEADER,), _set("number", 77)),
    "another score": _change_fields((GAME_HEADER,), _change_score),
    "no position": _change_fields((GAME_HEADER,), _set("position", 0)),
    "another winner": _change_fields((GAME_FOOTER,), _negate("winner")),
    "no winner": _change_fields((GAME_FOOTER,), _set("winner", 0)),
    "other points": _change_fields((GAME_FOOTER,), _set("points", -1, 0, 9)),
}


def _change_ply(change: Callable[[dict[str, Any], random.Random], None]) -> Damage:
    def damage(ply: Any, rng: random.Random) -> list[Any]:
        changed = deepcopy(ply)
        change(changed, rng)
        return [changed]

    return damage


def _reroll(ply: dict[str, Any], rng: random.Random) -> None:
    if "d1" in ply:
        low, high = sorted((rng.randint(1, 6), rng.randint(1, 6)))
        number = next(
            number
            for number, dice in enumerate((low, high) for low in range(1, 7) for high in range(low, 7))
            if dice == (low, high)
        )
        ply.update(d1=high, d2=low, action_id=number)


def _move_elsewhere(ply: dict[str, Any], rng: random.Random) -> None:
    if ply.get("moves"):
        ply["moves"][0]["from"] = rng.randint(1, 24)


def _change_points(ply: dict[str, Any], rng: random.Random) -> None:
    if "points_won" in ply:
        ply["points_won"] = 9


def _change_named_winner(ply: dict[str, Any], rng: random.Random) -> None:
    if "winner" in ply:
        ply["winner"] = 1 - ply["winner"]


OGXM_DAMAGES: Mapping[str, Damage] = {
    "wrong dice": _change_ply(_reroll),
    "wrong move": _change_ply(_move_elsewhere),
    "another winner": _change_ply(_change_named_winner),
    "other points": _change_ply(_change_points),
}
"""Those that its library writes; it refuses a document whose plies contradict each other."""
