"""Positions to learn from: as many as were asked for, of the wanted phases, and decided by the seed."""

import numpy as np
import pytest

from gammond.engine.errors import ValueRangeError
from gammond.engine.rules.dice import ROLLS
from gammond.engine.rules.moves import expand_rolls
from gammond.engine.rules.outcome import cubeless_equity
from gammond.engine.rules.position import Phase, classify_phases
from gammond.engine.search import NPlyEvaluator
from gammond.nets.catalogue import load_pruner
from gammond.tools.train.labels import sampling
from gammond.tools.train.labels.sampling import (
    DEFAULT_SOURCES,
    RACE_SOURCES,
    SOURCES,
    Sampler,
    allocate_counts,
    parse_sources,
)
from gammond.tools.train.weights.net_set import PHASES, load_bearoff_evaluators, load_net_set

pytest.importorskip("onnx", reason="nets are read and run as ONNX files (extra 'train')")


@pytest.fixture(scope="module")
def make_sampler():
    nets, pruner = load_net_set("fast"), load_pruner()
    evaluator = nets.make_evaluator()

    def made(phase: str = "contact") -> Sampler:
        policy = nets.make_policy(evaluator, pruner)
        return Sampler(evaluator, policy, pruner, load_bearoff_evaluators(), PHASES[phase])

    return made


def test_each_source_gives_as_many_distinct_positions_of_contact_as_it_is_asked_for(make_sampler):
    counts = [(source, 40 + i) for i, source in enumerate(SOURCES) if source not in RACE_SOURCES]
    sample = make_sampler().sample(counts, (1, 2))
    boards, places = sample.boards, sample.sources
    assert np.bincount(places).tolist() == [count for _, count in counts]
    assert (classify_phases(boards) <= Phase.CRASHED).all()
    for place in range(len(counts)):
        of_source = boards[places == place]
        assert len(np.unique(of_source, axis=0)) == len(of_source)


def test_races_are_those_that_no_bearoff_database_knows(make_sampler):
    boards = make_sampler("race").sample([("selfplay", 150), ("containment", 20)], (1,)).boards
    assert (classify_phases(boards) == Phase.RACE).all()
    assert not any(evaluator.covers(boards).any() for evaluator in load_bearoff_evaluators())


def test_races_that_are_set_up_pair_sides_of_any_length_that_have_passed_each_other(make_sampler):
    boards = make_sampler("race").sample([("race", 600)], (1,)).boards
    assert (classify_phases(boards) == Phase.RACE).all()
    assert not any(evaluator.covers(boards).any() for evaluator in load_bearoff_evaluators())
    assert len(np.unique(boards, axis=0)) == 600
    pips = boards.astype(int) @ np.arange(26)
    assert np.median(np.abs(pips[:, 0] - pips[:, 1])) < 20
    assert np.percentile(pips, 5) < 45 < 95 < np.percentile(pips, 95)
    assert len(np.unique(boards.reshape(-1, 26), axis=0)) < 600  # the same sides again against others


def test_every_source_has_draws_of_its_own_that_a_new_one_leaves_alone():
    known = "selfplay astray backgame containment priming crashed late-hit anchor-pair late-containment"
    old = [*known.split(), "ace-point", "bear-in", "disagreement"]
    assert [sampling._STREAMS[name] for name in old] == list(range(12))
    assert sampling._STREAMS.keys() == set(SOURCES)
    assert len({*sampling._STREAMS.values(), sampling._ORDER_STREAM}) == len(SOURCES) + 1


def test_crashed_positions_can_be_had_alone(make_sampler):
    boards = make_sampler("crashed").sample([("crashed", 60)], (1,)).boards
    assert (classify_phases(boards) == Phase.CRASHED).all()


def test_all_depends_on_the_seed_alone(make_sampler):
    counts = [("selfplay", 50), ("backgame", 20), ("disagreement", 20)]
    one, other = make_sampler().sample(counts, (3, 1)), make_sampler().sample(counts, (3, 1))
    np.testing.assert_array_equal(one.boards, other.boards)
    np.testing.assert_array_equal(one.sources, other.sources)
    assert not np.array_equal(one.boards, make_sampler().sample(counts, (3, 2)).boards)


def test_a_source_gives_the_same_whatever_other_sources_there_are(make_sampler):
    alone = make_sampler().sample([("crashed", 30)], (5,)).boards
    both = make_sampler().sample([("selfplay", 10), ("crashed", 30)], (5,))
    of_both = both.boards[both.sources == 1]
    np.testing.assert_array_equal(np.unique(of_both, axis=0), np.unique(alone, axis=0))


def test_whole_games_give_as_many_distinct_positions_and_say_which_follows_which(make_sampler):
    counts = [("selfplay", 200), ("astray", 90), ("backgame", 40), ("disagreement", 10)]
    sample = make_sampler().sample(counts, (4,), whole_games=True)
    assert np.bincount(sample.sources).tolist() == [count for _, count in counts]
    boards, visits = sample.boards, sample.visits
    before = visits.rows[visits.is_followed.nonzero()[0]]
    after = visits.rows[visits.is_followed.nonzero()[0] + 1]
    assert len(before) > 200
    assert not np.isin(sample.sources[visits.rows], 3).any()
    for source in range(3):
        of_source = boards[sample.sources == source]
        assert len(np.unique(of_source, axis=0)) == len(of_source)
    np.testing.assert_array_equal(sample.sources[before], sample.sources[after])
    for one, other in zip(boards[before], boards[after], strict=True):
        children = np.concatenate([expand_rolls(one[None], np.array([roll], np.int8))[0] for roll in ROLLS])
        assert (children == other).all(axis=(1, 2)).any()


def test_whole_games_of_set_ups_go_on_until_contact_ends(make_sampler):
    sample = make_sampler().sample([("containment", 300)], (8,), whole_games=True)
    rows, follows = sample.visits.rows, sample.visits.is_followed
    lengths = np.diff(np.flatnonzero(~follows), prepend=-1)
    assert lengths.max() > 20
    assert len(rows) == lengths.sum()


def test_a_play_that_was_not_the_best_is_not_followed(make_sampler):
    sampler = make_sampler()
    shares = [
        sampler.sample([(source, 400)], (6,), whole_games=True).visits.is_followed.mean()
        for source in ("selfplay", "astray")
    ]
    assert shares[0] > 0.93
    assert 0.75 < shares[1] < shares[0] - 0.04


def test_evaluations_disagree_more_where_disagreement_was_asked_for(make_sampler):
    sampler = make_sampler()
    deep = NPlyEvaluator(sampler.evaluator, sampler.pruner, 1)
    means = []
    for source in ("astray", "disagreement"):
        boards = sampler.sample([(source, 300)], (7,)).boards
        apart = cubeless_equity(deep.evaluate(boards)) - cubeless_equity(sampler.evaluator.evaluate(boards))
        means.append(np.abs(apart).mean())
    assert means[1] > 1.4 * means[0]


def test_sources_are_read_with_their_parts():
    assert parse_sources(["selfplay=3", "crashed"]) == {"selfplay": 3.0, "crashed": 1.0}
    assert set(parse_sources(DEFAULT_SOURCES)) == set(SOURCES) - set(RACE_SOURCES)


@pytest.mark.parametrize(
    "texts",
    [
        [],
        ["opening"],
        ["selfplay=0"],
        ["selfplay=-1"],
        ["selfplay="],
        ["selfplay=nan"],
        ["selfplay=inf"],
        ["selfplay", "selfplay=2"],
    ],
)
def test_sources_that_cannot_be_are_refused(texts):
    with pytest.raises(ValueRangeError):
        parse_sources(texts)


@pytest.mark.parametrize("count", [0, 1, 7, 100, 4096])
def test_shares_add_up_and_are_within_one_of_their_due(count):
    parts = parse_sources(DEFAULT_SOURCES)
    given = dict(allocate_counts(parts, count))
    assert sum(given.values()) == count
    for name, part in parts.items():
        assert abs(given[name] - count * part / sum(parts.values())) <= 1
