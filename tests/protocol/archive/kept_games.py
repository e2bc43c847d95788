"""Finished games as tables keep them, for tests of the archive."""

from __future__ import annotations

import msgspec

from gammond.protocol.tables.archive import ArchivedGame, ArchivedSeat, SavedTable, TokenHashes
from gammond.protocol.tables.seats import hash_token

GAME = """ Game {number}
 {one} : {score[0]}                          {two} : {score[1]}
  1) 31: 8/5 6/5                    42: 8/4 6/4
  2) 65: 24/13                      {last}
      {wins}
"""

START_S = 1_790_000_000.0


def make_mat(names=("Ann", "expert"), length=0, winners=(0,), points=1):
    """Return a match of short games, each won by a double that is dropped, or a resignation."""
    score, parts = [0, 0], [f'; [Crawford "Off"]\n\n {length} point match\n']
    for number, winner in enumerate(winners, 1):
        if winner == 0:
            last, wins = "43: 24/21 13/9\n  3)  Doubles => 2                   Drops", f"Wins {points} point"
        else:
            last, wins = " Doubles => 2\n  3)  Drops", " " * 28 + f"Wins {points} point"
        one, two = names
        parts.append(GAME.format(number=number, one=one, two=two, score=tuple(score), last=last, wins=wins))
        score[winner] += points
    return "\n".join(parts)


def make_person(name="Ann"):
    return ArchivedSeat("person", name)


def make_engine(level="expert"):
    return ArchivedSeat("engine", level, player="engine", level=level)


def make_game(
    table="T", number=1, *, winner=0, seats=None, tokens=("secret", None), owners=("", ""), **changes
):
    """Return a game of money play with its record."""
    seats = seats or (make_person(), make_engine())
    values = {
        "game_id": f"{table}-{number}",
        "table_id": table,
        "number": number,
        "game": "backgammon",
        "variant": "backgammon",
        "length": 0,
        "seats": seats,
        "score_before": (0, 0),
        "score_after": (1, 0) if winner == 0 else (0, 1),
        "winner": winner,
        "points": 1,
        "kind": "single",
        "match_winner": None,
        "started_s": START_S + number,
        "ended_s": START_S + number + 60,
        "text_format": "mat",
        "text": make_mat(tuple(seat.name for seat in seats), winners=() if winner is None else (winner,)),
    }
    values |= changes
    hashes = [None if token is None else hash_token(token) for token in tokens]
    kept = zip(values["seats"], hashes, owners, strict=True)
    values["seats"] = tuple(
        msgspec.structs.replace(seat, token_hash=hashed, owner=owner) for seat, hashed, owner in kept
    )
    return ArchivedGame(**values)


def make_match_game(number, winners, length=2, table="M", **changes):
    """Return a game of a match: `winners` of all games so far."""
    before = [winners[:-1].count(seat) for seat in (0, 1)]
    after = [winners.count(seat) for seat in (0, 1)]
    return make_game(
        table,
        number,
        winner=winners[-1],
        **{
            "length": length,
            "score_before": tuple(before),
            "score_after": tuple(after),
            "match_winner": next((seat for seat in (0, 1) if after[seat] >= length), None),
            "text": make_mat(length=length, winners=winners),
        }
        | changes,
    )


def make_table(name="T", **changes):
    """Return a running table."""
    spec = {"variant": "backgammon", "seats": [{"kind": "person"}, {"kind": "engine"}]}
    return SavedTable(name, START_S, spec, TokenHashes(("a", None), "w"), **changes)


def make_action(number):
    """Return an action at a table."""
    return b'{"act":"undo","at":%d,"count":%d}' % (START_S + number, number)


def save_table(archive, name="T", actions=0):
    """Keep a running table with actions at it."""
    archive.save_table(make_table(name))
    for number in range(actions):
        archive.add_action(name, make_action(number))


def keep(archive, *games):
    """Keep games, and wait until they are in the file."""
    for game in games:
        archive.keep_game(game)
    assert archive.flush()
