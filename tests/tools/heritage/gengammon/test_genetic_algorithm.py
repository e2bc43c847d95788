"""The genetic algorithm: it learns, the elite lives on, crossovers alternate, runs repeat themselves."""

import functools

import msgspec
import numpy as np
import pytest

from gammond.tools.heritage.gengammon import genetic_algorithm as evolving
from gammond.tools.heritage.gengammon.agreement import count_moves, measure_agreements
from gammond.tools.heritage.gengammon.genetic_algorithm import Population, draw_sample
from gammond.tools.heritage.gengammon.settings import MimicSettings
from tests.tools.heritage.gengammon.teaching import packed, random_net

SMALL = MimicSettings(population=24, method="genetic", fitness="2", activation="linear")


@functools.cache
def taught():
    return packed(600, seed=1)


@functools.cache
def unseen():
    return packed(600, seed=9)


def _expand(settings: MimicSettings, generations: int) -> list[evolving.GenerationResult]:
    population = Population(settings, settings.seed)
    return [population.evolve(taught(), threads=1) for _ in range(generations)]


@pytest.mark.parametrize("crossover", ["weights", "bits", "alternating"])
def test_it_learns_an_expert_and_does_better_on_his_unseen_moves(crossover):
    settings = msgspec.structs.replace(SMALL, crossover=crossover, alternate_every=5)
    generations = _expand(settings, 40)
    every = np.arange(600)
    first, last = (generations[number].best for number in (0, -1))
    before, after = measure_agreements(unseen(), [first, last], "2", every, threads=1)
    assert generations[-1].agreement.fitness > generations[0].agreement.fitness + 0.03
    assert generations[-1].mean_fitness > generations[0].mean_fitness + 0.1
    assert after.fitness > before.fitness + 0.02


def test_with_the_usual_activation_mutation_and_fitness_it_learns_beyond_noise():
    settings = MimicSettings(population=24, sample=300)
    assert (settings.activation, settings.mutation, settings.fitness) == ("softsign", "bit", "3-nearness")
    generations = _expand(settings, 80)
    nets = [generations[number].best for number in (0, -1)]
    found = [
        measure_agreements(unseen(), nets, settings.fitness, np.array([move]), threads=1)
        for move in range(count_moves(unseen()))
    ]
    for gains in (
        np.array([after.fitness - before.fitness for before, after in found]),
        np.array([after.ranked_first - before.ranked_first for before, after in found]),
    ):
        assert gains.mean() > 3 * gains.std() / np.sqrt(len(gains))


def test_the_fittest_never_gets_lost_while_all_moves_count():
    fitness = [each.agreement.fitness for each in _expand(SMALL, 25)]
    assert all(np.diff(fitness) >= 0)


def test_without_an_elite_it_may_get_lost():
    fitness = [each.agreement.fitness for each in _expand(msgspec.structs.replace(SMALL, elite=0.0), 25)]
    assert min(np.diff(fitness)) < 0


def test_crossovers_alternate_after_so_many_generations(monkeypatch):
    called = []
    for name, crossed in evolving._CROSSOVERS.items():

        def watched(first, second, generator, name=name, crossed=crossed):
            called.append(name)
            return crossed(first, second, generator)

        monkeypatch.setitem(evolving._CROSSOVERS, name, watched)
    settings = msgspec.structs.replace(SMALL, crossover="alternating", alternate_every=2, population=4)

    def evolve(**more):
        population, seen = Population(msgspec.structs.replace(settings, **more), 1), []
        for _ in range(6):
            called.clear()
            fitness = population.evolve(taught(), threads=1).agreement.fitness
            seen.append((fitness, set(called)))
        return seen

    assert [names for _, names in evolve()] == [{"weights"}] * 2 + [{"bits"}] * 2 + [{"weights"}] * 2
    assert all(names == {"weights"} for _, names in evolve(alternate_from=1.0))
    least = sorted(fitness for fitness, _ in evolve(alternate_from=1.0))[3]
    late = evolve(alternate_every=1, alternate_from=least)
    expected = [
        {"bits"} if number % 2 and fitness >= least else {"weights"}
        for number, (fitness, _) in enumerate(late)
    ]
    assert [names for _, names in late] == expected
    assert {"bits"} in expected


def test_a_sample_is_of_its_size_and_others_each_time():
    generator = np.random.default_rng(1)
    first, second = (draw_sample(100, 30, generator) for _ in range(2))
    assert len(set(first.tolist())) == 30
    assert not np.array_equal(first, second)
    np.testing.assert_array_equal(draw_sample(100, 0, generator), np.arange(100))
    np.testing.assert_array_equal(draw_sample(100, 200, generator), np.arange(100))


def test_a_generation_tells_the_agreement_of_its_fittest():
    population = Population(SMALL, 3)
    evaluated = population.evolve(taught(), threads=1)
    (found,) = measure_agreements(taught(), [evaluated.best], "2", np.arange(600), threads=1)
    assert evaluated.agreement == found
    assert evaluated.mean_fitness < found.fitness
    assert random_net(1).weights.shape == evaluated.best.weights.shape
