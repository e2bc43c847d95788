"""Positions to learn from: as many as were asked for, of the wanted phases, and decided by the seed."""

import numpy as np
import pytest

from engine.errors import ValueRangeError
from engine.outcome import cubeless_equity
from engine.position import Phase, phases
from engine.search import NPlyEvaluator
from nets.loading import load_finder
from tools.train.net_set import PHASES, bearoff_judges, load_net_set
from tools.train.sampling import SOURCES, USUAL_SOURCES, Sampler, read_sources, shares

pytest.importorskip("onnx", reason="nets are read and run as ONNX files (extra 'train')")


@pytest.fixture(scope="module")
def make_sampler():
    nets, finder = load_net_set("td32"), load_finder()
    evaluator = nets.evaluator()

    def made(phase: str = "contact") -> Sampler:
        policy = nets.policy(evaluator, finder)
        return Sampler(evaluator, policy, finder, bearoff_judges(), PHASES[phase])

    return made


def test_each_source_gives_as_many_distinct_positions_of_contact_as_it_is_asked_for(make_sampler):
    counts = [(source, 40 + i) for i, source in enumerate(SOURCES)]
    boards, places = make_sampler().sample(counts, (1, 2))
    assert np.bincount(places).tolist() == [count for _, count in counts]
    assert (phases(boards) <= Phase.CRASHED).all()
    for place in range(len(SOURCES)):
        of_source = boards[places == place]
        assert len(np.unique(of_source, axis=0)) == len(of_source)


def test_races_are_those_that_no_bearoff_database_knows(make_sampler):
    boards, _ = make_sampler("race").sample([("selfplay", 150), ("containment", 20)], (1,))
    assert (phases(boards) == Phase.RACE).all()
    assert not any(judge.covers(boards).any() for judge in bearoff_judges())


def test_crashed_positions_can_be_had_alone(make_sampler):
    boards, _ = make_sampler("crashed").sample([("crashed", 60)], (1,))
    assert (phases(boards) == Phase.CRASHED).all()


def test_all_depends_on_the_seed_alone(make_sampler):
    counts = [("selfplay", 50), ("backgame", 20), ("disagreement", 20)]
    one, other = make_sampler().sample(counts, (3, 1)), make_sampler().sample(counts, (3, 1))
    np.testing.assert_array_equal(one[0], other[0])
    np.testing.assert_array_equal(one[1], other[1])
    assert not np.array_equal(one[0], make_sampler().sample(counts, (3, 2))[0])


def test_a_source_gives_the_same_whatever_stands_beside_it(make_sampler):
    alone, _ = make_sampler().sample([("crashed", 30)], (5,))
    both, places = make_sampler().sample([("selfplay", 10), ("crashed", 30)], (5,))
    np.testing.assert_array_equal(np.unique(both[places == 1], axis=0), np.unique(alone, axis=0))


def test_judgements_disagree_more_where_that_is_what_was_asked_for(make_sampler):
    sampler = make_sampler()
    deep = NPlyEvaluator(sampler.evaluator, sampler.finder, 1)
    means = []
    for source in ("astray", "disagreement"):
        boards, _ = sampler.sample([(source, 300)], (7,))
        apart = cubeless_equity(deep.evaluate(boards)) - cubeless_equity(sampler.evaluator.evaluate(boards))
        means.append(np.abs(apart).mean())
    assert means[1] > 1.4 * means[0]


def test_sources_are_read_with_their_parts():
    assert read_sources(["selfplay=3", "crashed"]) == {"selfplay": 3.0, "crashed": 1.0}
    assert set(read_sources(USUAL_SOURCES)) == set(SOURCES)


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
        read_sources(texts)


@pytest.mark.parametrize("count", [0, 1, 7, 100, 4096])
def test_shares_add_up_and_are_within_one_of_their_due(count):
    parts = read_sources(USUAL_SOURCES)
    given = dict(shares(parts, count))
    assert sum(given.values()) == count
    for name, part in parts.items():
        assert abs(given[name] - count * part / sum(parts.values())) <= 1
