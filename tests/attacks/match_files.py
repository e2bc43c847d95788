"""Mutated match files of every format: each gives what it has, or an error that says what was expected."""

from __future__ import annotations

import random
from dataclasses import replace
from functools import cache, partial
from importlib.util import find_spec

from gammond.engine.match_files.mat.reader import parse_mat
from gammond.engine.match_files.mat.writer import format_mat
from gammond.engine.match_files.model import RecordedMatch, RecordedPosition
from gammond.engine.match_files.ogxm.writer import format_ogxm
from gammond.engine.match_files.reading import read_matches, read_positions
from gammond.engine.match_files.sgf.writer import format_sgf
from gammond.engine.rules.game_record import PlayAction
from gammond.engine.rules.match import SEATS, MatchState
from gammond.engine.rules.moves import legal_plays
from gammond.engine.rules.rules import STANDARD_RULES
from tests.attacks.readings import Readings
from tests.attacks.trial import Attack, Trial, expect
from tests.engine.match_files.played_games import play_money_games, play_random_match
from tests.engine.match_files.sites import site_files
from tests.engine.match_files.test_position_report import BGBLITZ_CUBE, BGBLITZ_PLAYS, XG_CUBE, XG_PLAYS
from tests.engine.match_files.xg import xg_files

_GAMES = 3
_SMALL_BYTES = 6_000
_SLOW = {"tmg": 1_000, "party": 1_500}
"""Fewer of what takes long to read on after damage."""

_FULL_BYTES = 1_000_000
_PIECES = (
    b"\n",
    b"\t",
    b" ",
    b"(",
    b")",
    b"[",
    b"]",
    b":",
    b";",
    b"*",
    b"\x00",
    b"\xff",
    b"\x1b",
    b"99999999999999999999",
)


def mutate_file(content: bytes, rng: random.Random) -> tuple[bytes, int]:
    """Return a file with faults, and how many bytes were altered, put in, taken out or moved."""
    altered, count = bytearray(content), 0
    for _ in range(rng.choice((1, 3, 30, 300, 3000))):
        at = rng.randrange(len(altered) + 1)
        match rng.randrange(8):
            case 0:
                altered[at:at] = rng.choice(_PIECES)
            case 1:
                length = rng.choice((1, 1, 1, 2, 60))
                del altered[at : at + length]
            case 2:
                other = rng.randrange(len(altered) + 1)
                altered[at:at] = altered[other : other + rng.randrange(80)]
            case _ if altered:
                altered[at % len(altered)] = rng.choice((rng.randrange(256), rng.choice(b"0123456789/:XOaz")))
        count += 1
        if not altered:
            break
    if rng.random() < 0.1:
        del altered[rng.randrange(len(altered) + 1) :]
    return bytes(altered), count


@cache
def list_files() -> dict[str, bytes]:
    """Return an unaltered file of each format, by the format's name."""
    match, money = play_random_match()[:_GAMES], play_money_games()[:_GAMES]
    mat = format_mat(site_files.NAMES, match)
    (recorded,) = parse_mat(mat)
    texts = {
        "mat": mat,
        "oldmoves": site_files.write_oldmoves(match),
        "sgg": site_files.write_sgg(match),
        "tmg": site_files.write_tmg(match),
        "party": site_files.write_party(match),
        "empire": site_files.write_empire(match[:1]),
    }
    files = {name: text.encode() for name, text in texts.items()}
    records = xg_files.write_games(site_files.NAMES, money[:1])
    files["xg"] = xg_files.make_file(records, ["{\\rtf1 a}"])
    files["xg-records"], files["xgp-records"] = b"".join(records), b"".join(records[:4])
    (analysed,) = read_matches(files["xg"])
    files["sgf"] = format_sgf(analysed).encode()
    if find_spec("ogxm"):
        files["ogxm"] = format_ogxm(recorded)
    files["position-texts"] = (XG_PLAYS + XG_CUBE + BGBLITZ_PLAYS + BGBLITZ_CUBE).encode()
    return files


def _read_content(name: str, content: bytes) -> tuple[RecordedMatch, ...] | tuple[RecordedPosition, ...]:
    if name == "position-texts":
        return read_positions(content, name="file")
    if name.endswith("-records"):  # packed once more, since few altered files can be unpacked
        content = xg_files.make_file([content])
    if name == "xgp-records":
        return read_positions(content, name="file")
    return read_matches(content, name="file")


def attack_format(name: str, trial: Trial) -> str:
    """Read mutated files of one format, until enough bytes were altered."""
    content, wanted = list_files()[name], trial.dose(_SLOW.get(name, _SMALL_BYTES), _FULL_BYTES)
    readings, done = Readings(), 0
    while done < wanted:
        altered, count = mutate_file(content, trial.rng)
        found = readings.read(name, lambda altered=altered: _read_and_write(name, altered), altered[:2000])
        for match in found or ():
            issues = match.issues if isinstance(match, RecordedMatch) else ()
            for words in (*match.names, *map(str, issues)):
                expect(words.isprintable(), f"{name}: a name or an issue has what does not print: {words!r}")
        done += count
        if readings.files % 100 == 0:
            trial.note(f"{done:,} bytes")
    return f"{done:,} bytes in {readings.rate()}"


def _read_and_write(name: str, content: bytes) -> tuple[RecordedMatch, ...] | tuple[RecordedPosition, ...]:
    """Read a file, and write what is found."""
    found = _read_content(name, content)
    for match in found:
        if isinstance(match, RecordedMatch):
            format_sgf(match)
    return found


def attack_by_cost(trial: Trial) -> str:
    """Read a file of eXtreme Gammon that costs as much as one can: nothing but rolls with 32 plays each."""
    position = STANDARD_RULES.starting_position
    play = PlayAction(0, (1, 1), legal_plays(position, (1, 1))[0])
    records = [
        xg_files.make_header(length=0),
        xg_files.make_game_header(1, MatchState(), position.board),
    ]
    turns = [
        xg_files.write_play(position, MatchState(on_roll=seat), replace(play, seat=seat), plays_listed=32)
        for seat in SEATS
    ]
    content = xg_files.make_file(records + turns * trial.dose(50, 4095))
    readings = Readings()
    matches = readings.read("xg", lambda: read_matches(content), f"{len(content):,} bytes")
    expect(matches, "the costly file is refused")
    plays = sum(len(notes.candidates) for game in matches[0].games for notes in game.notes.values())
    return f"{plays:,} evaluated plays of {len(content):,} bytes, {readings.rate()}"


_FORMATS = (
    *("mat", "sgf", "oldmoves", "sgg", "tmg", "party", "empire", "xg", "xg-records", "xgp-records"),
    "position-texts",
    *(["ogxm"] if find_spec("ogxm") else ()),
)
ATTACKS = (
    *(
        Attack(f"files-{name}", f"mutated match files of the format {name}", partial(attack_format, name))
        for name in _FORMATS
    ),
    Attack("files-xg-costly", "the costliest file of eXtreme Gammon within the bounds", attack_by_cost),
)
