"""The list of players."""

from __future__ import annotations

import json

from gammond.engine.barca.player import PLAYER_KINDS
from gammond.nets.catalogue import SHIPPED
from gammond.nets.player_specs import OPTION_FIELDS
from gammond.protocol.barca.settings import PLAYERS
from gammond.tools import cli


def test_every_player_is_listed_with_its_options(capsys):
    assert cli.main(["players"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert (
        lines[0]
        == f"default, {', '.join(SHIPPED.list_evaluators())}: evaluators: nets by name, shipped and your own"
    )
    names = [field.name for field in OPTION_FIELDS]
    assert [line.split("=")[0].strip() for line in lines[1 : 1 + len(names)]] == names
    assert lines[1] == "    plies=0        look-ahead (0..4)"
    for kind in SHIPPED.list_kinds():
        where = lines.index(f"{kind.name}: {kind.summary}")
        for option, line in zip(kind.list_options(), lines[where + 1 :], strict=False):
            assert (
                line.split()
                == f"{option.name}={option.default_text} {option.meaning} ({option.allowed_values})".split()
            )
    assert any(
        line.startswith("  human: ") for line in lines[lines.index("only in sessions (set engine.player):") :]
    )
    assert any(line.startswith("  run:FOLDER: ") for line in lines)


def test_the_list_as_json_has_the_same_players(capsys):
    assert cli.main(["players", "--json"]) == 0
    rows = json.loads(capsys.readouterr().out)
    assert rows["everywhere"][0]["names"] == ["default", *SHIPPED.list_evaluators()]
    assert [row["names"] for row in rows["everywhere"][1:]] == [[kind.name] for kind in SHIPPED.list_kinds()]
    seed = next(row for row in rows["everywhere"] if row["names"] == ["random"])["options"][0]
    assert (seed["name"], seed["default"], seed["values"]) == ("seed", "0", "0..9223372036854775807")
    assert {row["names"][0] for row in rows["sessions"]} == {"net", "human"}
    assert {row["names"][0].partition(":")[0] for row in rows["files"]} == {"run", "function", "wildbg"}
    assert [row["names"] for row in rows["tools"]] == [["gnubg"]]


def test_games_with_players_of_their_own_have_a_section_each(capsys):
    cli.main(["players"])
    _, _, section = capsys.readouterr().out.partition("in barca (gammond tournament --variant barca; ")
    lines = section.splitlines()
    assert [line[2:].partition(":")[0] for line in lines[1:] if line[2] != " "] == [
        *("engine", "human", *PLAYER_KINDS)
    ]
    assert "    depth=1        plies of search, 0 for no limit (0..48)" in lines
    assert lines[lines.index("  hard: the best move at depth 5") + 1] == (
        "    the options of easy, with depth=5, among=1"
    )
    cli.main(["players", "--json"])
    rows = json.loads(capsys.readouterr().out)["games"]["barca"]
    assert [row["names"] for row in rows] == [[each.name] for each in PLAYERS]
    depths = {row["names"][0]: row["options"][0]["default"] for row in rows if len(row["options"]) > 1}
    assert depths == {"easy": "1", "medium": "3", "hard": "5", "search": "0"}
