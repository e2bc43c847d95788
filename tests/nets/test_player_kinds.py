"""What all kinds of players keep to: names, options, nets, legal plays, strength, what they say of plays."""

from typing import Annotated

import numpy as np
import pytest
from msgspec import Meta

from gammond.engine.errors import DataFileError, FormatError, UnsupportedError, ValueRangeError
from gammond.engine.play.lockstep import play_games
from gammond.engine.play.player import EvaluatorPlayer, RandomPlayer, form_opinion, rank_by_opinion
from gammond.nets import player_specs
from gammond.nets.catalogue import DEFAULT_EVALUATOR, SHIPPED, collect_net_hashes, load_evaluator, load_player
from gammond.nets.manifest import find_kind_loaders, read_manifest
from gammond.nets.player_specs import FILE_WORDS, KindSpec
from gammond.protocol.state.player_registry import SESSION_PLAYERS
from tests.support import boards
from tests.support.boards import position
from tests.support.evaluators import RacingEvaluator
from tests.support.players import check_choices

KINDS = SHIPPED.list_kinds()
EACH_KIND = pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
SAMPLE = boards.played_boards(RacingEvaluator(), 2000, seed=3)[:60]
DICE = boards.random_rolls(60, seed=4)

CONTACT = position({24: 2, 13: 3, 8: 3, 6: 6, 5: 1}, {1: 2, 12: 5, 17: 3, 19: 5})
RACE = position({7: 3, 5: 5, 3: 5, 2: 2}, {19: 5, 20: 5, 22: 5})
WITHOUT_NUMBERS = {"easy", "medium", "hard", "merit", "random", "star"}


def test_every_name_of_a_kind_is_that_of_the_kind():
    assert {"pubeval", "random", "bev"} <= set(find_kind_loaders())
    assert [kind.name for kind in KINDS] == sorted(find_kind_loaders().keys() - set(FILE_WORDS))


def test_no_kind_has_the_name_of_something_else():
    taken = {DEFAULT_EVALUATOR, *SHIPPED.list_evaluators(), *SESSION_PLAYERS, "gnubg", "run", "wildbg"}
    assert taken.isdisjoint(find_kind_loaders().keys() - set(FILE_WORDS))


@EACH_KIND
def test_a_kind_is_described_and_its_options_are_bounded(kind):
    assert kind.__struct_config__.frozen
    assert kind.summary[-1] != "."
    for option in kind.list_options():
        assert option.meaning, option.name
        assert option.allowed_values, option.name
        is_number = option.kind in ("int", "number")
        if is_number:
            assert option.bounds.low <= option.default <= option.bounds.high < float("inf")
        wrong = int(option.bounds.high) + 1 if is_number else "nothing"
        with pytest.raises((FormatError, ValueRangeError)) as caught:
            load_player(f"{kind.name}:{option.name}={wrong}")
        assert caught.value.field == option.name
    with pytest.raises(FormatError) as caught:
        load_player(f"{kind.name}:nothing=1")
    assert caught.value.field == "player"


@EACH_KIND
def test_defaults_written_out_change_nothing(kind):
    written = ",".join(f"{each.name}={each.default_text}" for each in kind.list_options())
    text = f"{kind.name}:{written}" if written else kind.name
    assert kind.parse(text) == kind.parse(kind.name) == kind()
    assert kind().format_name() == kind.name
    assert collect_net_hashes(text) == collect_net_hashes(kind.name)


def test_a_name_has_the_options_that_are_not_the_default_in_their_order():
    assert load_player("heuristic:bt=7,bf=0.25,ties=last").name == "heuristic:bf=0.25,bt=7,ties=last"
    assert load_player("classic:outputs=5,hidden=10").name == "classic:hidden=10"


@pytest.mark.parametrize(
    "name",
    [
        *(kind.name for kind in KINDS),
        "default:plies=1,filter=tiny",
        "fast:level=beginner,seed=5",
        "merit:of=bev,among=2",
        "phase-heuristic:among=4",
        "heuristic:ties=last",
        *(f"gengammon:learned={learned}" for learned in ("linear", "backprop", "play")),
    ],
)
def test_a_player_plays_legally_and_by_its_own_position_and_seed_alone(name):
    player = load_player(name)
    assert player.name == name
    count = 4 if SHIPPED.parse_player(name).is_deep else len(SAMPLE)
    chosen = check_choices(player, SAMPLE[:count], DICE[:count])
    assert np.array_equal(load_player(name).choose(SAMPLE[:count], DICE[:count]), chosen)
    assert collect_net_hashes(name) == dict(player.nets)


@pytest.mark.parametrize(
    "name", ["random", "merit:of=bev", "easy:of=bev", "phase-heuristic:among=4", "fast:noise=90"]
)
def test_another_seed_plays_otherwise(name):
    chosen = [
        load_player(f"{name}{':' if ':' not in name else ','}seed={n}").choose(SAMPLE, DICE) for n in (1, 2)
    ]
    assert not np.array_equal(*chosen)


@pytest.mark.parametrize(
    ("name", "nets"),
    [
        ("pubeval", []),
        ("bev", []),
        ("merit:of=bev", []),
        ("classic", ["classic-40-5-normal-contact"]),
        ("phase-net", ["phase-net-outcomes"]),
        ("phase-net:learned=self", ["phase-net-self"]),
        *(
            (f"gengammon:learned={each}", [f"gengammon-{each}"])
            for each in ("genetic", "linear", "backprop", "play")
        ),
    ],
)
def test_the_nets_of_a_player_are_those_of_its_options(name, nets):
    manifest = read_manifest()
    entries = [manifest.find_scorer(net) if "classic" not in net else manifest.find_net(net) for net in nets]
    assert collect_net_hashes(name) == {entry.name: entry.sha256 for entry in entries}


@pytest.mark.parametrize(
    ("name", "other", "games", "points"),
    [
        ("pubeval", "random", 1000, 2.2),
        ("bev", "random", 40, 1.5),
        ("bev:learned=true", "bev", 100, 0.5),
        ("heuristic", "random", 400, 1.5),
        ("heuristic", "heuristic:config=untrained", 400, 0.7),
        ("phase-heuristic", "random", 200, 1.8),
        ("phase-heuristic", "phase-heuristic:among=4", 200, 0.6),
        ("phase-net", "phase-heuristic", 400, 0.0),
        ("phase-net:learned=self", "phase-heuristic", 400, 0.0),
    ],
)
def test_a_player_is_stronger_than_a_weaker_one(name, other, games, points):
    results = play_games(load_player(name), load_player(other), games, seed=1)
    assert results.score.value - 3 * results.score.error > points


@pytest.mark.parametrize("kind", sorted({kind.name for kind in KINDS} - WITHOUT_NUMBERS))
@pytest.mark.parametrize("where", [CONTACT, RACE], ids=["contact", "race"])
def test_each_player_plays_what_it_says_to_be_best(kind, where):
    player = load_player(kind)
    form_opinion(player, where)
    ranked = rank_by_opinion(player, where, (4, 1))
    best = [play.result.board for play, opinion in ranked if opinion.score == ranked[0][1].score]
    chosen = player.choose_one(where, (4, 1))
    assert any(np.array_equal(board, chosen) for board in best)


@pytest.mark.parametrize("kind", sorted(WITHOUT_NUMBERS & {kind.name for kind in KINDS}))
def test_players_that_draw_or_search_have_no_number_for_a_play(kind):
    with pytest.raises(UnsupportedError, match="without a number for each"):
        form_opinion(load_player(kind), CONTACT)


@pytest.mark.parametrize(
    "name", ["classic", "classic:hidden=10,outputs=1,layout=symmetric", "classic:races=bearoff"]
)
def test_a_player_that_follows_an_evaluator_can_be_loaded_as_one(name):
    found, player = load_evaluator(name), load_player(name)
    assert isinstance(player, EvaluatorPlayer)
    assert found.name == name
    board = CONTACT.board[None].copy()
    np.testing.assert_array_equal(found.evaluate(board), player.evaluator.evaluate(board))


@pytest.mark.parametrize("name", ["", "Random", "random.py", "../options", "__init__", "nobody"])
def test_other_names_are_no_kinds(name):
    assert SHIPPED.find(name) is None


def test_unknown_options_and_players_are_named_with_what_there_is_and_the_nearest():
    with pytest.raises(FormatError, match=r"an option of random \(seed\), got 'sed' \(did you mean 'seed'"):
        load_player("random:sed=3")
    with pytest.raises(FormatError, match="expected no option for pubeval, got 'plies'"):
        collect_net_hashes("pubeval:plies=1")
    with pytest.raises(
        ValueRangeError, match=r"expected a player \(default, .*\), got 'pubevl' \(did you mean 'pubeval'\?\)"
    ):
        load_player("pubevl")


def test_a_manifest_without_the_net_of_a_kind_is_a_data_file_error(tmp_path, monkeypatch):
    manifest = tmp_path / "manifest.toml"
    manifest.write_text("")
    monkeypatch.setattr(player_specs, "MANIFEST_FILE", manifest)
    with pytest.raises(DataFileError, match=r"no entry \[\[scorer\]\] called 'gengammon-genetic'"):
        load_player("gengammon")


class Sample(KindSpec, frozen=True):
    name = "sample"
    seed: Annotated[int, Meta(ge=0)] = 0

    def make(self):
        return RandomPlayer(self.seed)

    def collect_net_hashes(self):
        return {"net": str(self.seed)}


def test_a_player_is_made_of_its_options_and_has_the_hashes_of_its_nets(monkeypatch):
    monkeypatch.setattr(SHIPPED, "find", lambda name: Sample)
    player = load_player("sample:seed=4")
    assert player.name == "random:seed=4"
    assert player.nets == {"net": "4"}
    assert collect_net_hashes("sample:seed=5") == {"net": "5"}


def test_a_kind_that_takes_free_text_is_refused():
    class Named(KindSpec, frozen=True):
        name = "named"
        file: str = ""

    with pytest.raises(TypeError, match="the option file of named is free text"):
        Named.parse("named:file=/etc/passwd")
