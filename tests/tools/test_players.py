"""The list of players."""

import json

import pytest

from gammond.engine.barca.player import PLAYER_KINDS
from gammond.nets.catalogue import SHIPPED
from gammond.nets.player_specs import OPTION_FIELDS
from gammond.protocol.barca.settings import PLAYERS
from gammond.tools import cli


@pytest.fixture
def sections(capsys):
    """The list as JSON, and the lines of the text."""
    assert cli.main(["players", "--json"]) == cli.main(["players"]) == 0
    line, *text = capsys.readouterr().out.splitlines()
    return json.loads(line), text


def test_every_player_is_listed(sections):
    rows, _ = sections
    evaluators, *kinds = rows["everywhere"]
    assert evaluators["names"] == ["default", *SHIPPED.list_evaluators()]
    assert [option["name"] for option in evaluators["options"]] == [field.name for field in OPTION_FIELDS]
    assert [row["names"] for row in kinds] == [[kind.name] for kind in SHIPPED.list_kinds()]
    seed = next(row for row in kinds if row["names"] == ["random"])["options"][0]
    assert (seed["name"], seed["default"], seed["values"]) == ("seed", "0", "0..9223372036854775807")
    assert {row["names"][0] for row in rows["sessions"]} == {"net", "human"}
    assert {row["names"][0].partition(":")[0] for row in rows["files"]} == {"run", "function", "wildbg"}
    assert [row["names"] for row in rows["tools"]] == [["gnubg"]]
    barca = rows["games"]["barca"]
    assert [row["names"][0] for row in barca] == [each.name for each in PLAYERS]
    assert [row["names"][0] for row in barca] == ["engine", "human", *PLAYER_KINDS]
    depths = {row["names"][0]: row["options"][0]["default"] for row in barca if len(row["options"]) > 1}
    assert depths == {"easy": "1", "medium": "3", "hard": "5", "search": "0"}


def test_the_text_has_the_players_of_the_json_each_with_its_options(sections):
    rows, text = sections
    stripped = [line.strip() for line in text]
    games = rows.pop("games")
    for row in [row for section in (*rows.values(), *games.values()) for row in section]:
        place = stripped.index(f"{', '.join(row['names'])}: {row['summary']}")
        if text[place + 1].startswith("    the options of "):
            continue
        for option, line in zip(row["options"], text[place + 1 :], strict=False):
            default = f"{option['name']}={option['default']}"
            assert line.split() == f"{default} {option['meaning']} ({option['values'] or 'any'})".split()
    assert text[text.index("  hard: the best move at depth 5") + 1] == (
        "    the options of easy, with depth=5, among=1"
    )
