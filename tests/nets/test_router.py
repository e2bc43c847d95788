"""The router: every position to its evaluator in input order, whatever the batch; plans of contact."""

import numpy as np
import pytest

from gammond.engine.bearoff.one_sided import build_one_sided
from gammond.engine.bearoff.two_sided import build_two_sided
from gammond.engine.errors import DataFileError
from gammond.engine.rules.outcome import evaluate_finished
from gammond.engine.rules.position import Phase, classify_phases
from gammond.nets.catalogue import Catalogue
from gammond.nets.compiled_net import load_net
from gammond.nets.manifest import CONTACT_CLASSES, read_manifest
from gammond.nets.router import Router, classify_contact
from tests.nets.net_files import write_entries
from tests.nets.stand_ins import Marker
from tests.support import boards, naive


def _mixed_sample():
    finished = [boards.position(x={}, o={19: 3}), boards.position(x={25: 2, 4: 8}, o={})]
    races = [boards.position(x={point: 5}, o={25 - point: 4}) for point in range(1, 13)]
    sample = np.concatenate(
        [np.stack([one.board for one in finished + races]), boards.random_boards(400, seed=21)]
    )
    return sample[np.random.default_rng(22).permutation(len(sample))]


def _draw_bearoffs():
    few = boards.random_boards(300, seed=23)
    few[:, :, 7:] = 0
    few[:, :, 1:7] //= 2
    few[:, :, 0] = 15 - few[:, :, 1:].sum(axis=2)
    return few


PLANS = {(0, 0): "loose", (1, 0): "holding", (0, 1): "containing", (1, 1): "mutual"}
"""Contact classes by whether the player on roll and the opponent have two checkers back."""


def test_each_position_goes_to_its_evaluator_and_comes_back_in_input_order():
    sample = np.concatenate([_mixed_sample(), _draw_bearoffs()])
    race, crashed = Marker(0.3), Marker(0.4)
    contact = {name: Marker(0.5 + place / 10) for place, name in enumerate(CONTACT_CLASSES)}
    tables = first, second = build_two_sided(4, 3), build_one_sided(6, 6)
    outcomes = Router("all", [*contact.values()], race, crashed, exact=tables).evaluate(sample)
    seen = []
    for board, outcome in zip(sample, outcomes, strict=True):
        one = board[None]
        phase = classify_phases(one)[0]
        if phase == Phase.OVER:
            expected = evaluate_finished(one)
            seen.append(None)
        else:
            plan = contact[PLANS[tuple(int(row[19:].sum() >= 2) for row in board)]]
            evaluator = {Phase.RACE: race, Phase.CRASHED: crashed, Phase.CONTACT: plan}[phase]
            if phase == Phase.RACE:
                evaluator = next((table for table in tables if table.covers(one)[0]), race)
            expected = evaluator.evaluate(one)
            seen.append(evaluator)
        assert np.array_equal(outcome, expected[0])
    assert min(map(seen.count, (None, first, second, race, crashed, *contact.values()))) > 1


def test_the_contact_net_takes_the_phases_without_a_net_in_one_call():
    sample = _mixed_sample()
    contact = Marker(0.5)
    outcomes = Router("one", contact).evaluate(sample)
    unfinished = classify_phases(sample) != Phase.OVER
    assert contact.asked == 1
    assert np.array_equal(outcomes[unfinished], contact.evaluate(sample[unfinished]))


def test_races_without_a_net_are_for_the_contact_net_whoever_takes_crashed_positions():
    sample = _mixed_sample()
    races = sample[classify_phases(sample) == Phase.RACE]
    contact = Marker(0.5)
    outcomes = Router("two", contact, crashed=Marker(0.4)).evaluate(races)
    assert np.array_equal(outcomes, contact.evaluate(races))


def test_evaluators_without_positions_are_not_asked():
    contact, race = Marker(0.5), Marker(0.3)
    starts = np.repeat(boards.position(x={24: 15}, o={2: 15}).board[None], 20, axis=0)
    Router("two", contact, race).evaluate(starts)
    assert (contact.asked, race.asked) == (1, 0)


class _Wild:
    """A net that gives impossible numbers."""

    name = "wild"
    plies = 0

    def evaluate(self, positions):
        return np.tile(np.array([1.2, 0.9, 1.0, 0.8, -0.3], np.float32), (len(positions), 1))


def test_outputs_of_nets_are_made_possible():
    sample = _mixed_sample()
    outcomes = Router("wild", _Wild()).evaluate(sample)
    assert np.array_equal(outcomes, naive.sanitise(outcomes, sample))
    assert outcomes.max() <= 1
    assert outcomes.min() >= 0


def test_no_positions_give_no_outcomes():
    assert Router("none", _Wild()).evaluate(np.empty((0, 2, 26), np.int8)).shape == (0, 5)


CONTACT = boards.random_boards(600, seed=4)
CONTACT = CONTACT[classify_phases(CONTACT) == Phase.CONTACT]


def _write_manifest(folder, evaluator):
    entries = write_entries(folder, {phase: phase for phase in (*CONTACT_CLASSES, "race")})
    manifest = folder / "manifest.toml"
    manifest.write_text(f'default = "split"\n{entries}[[evaluator]]\nname = "split"\n{evaluator}', "utf-8")
    return manifest


ALL_PLANS = "plans = {" + ", ".join(f'{plan} = "{plan}"' for plan in CONTACT_CLASSES) + "}\n"


def test_an_evaluator_of_the_manifest_may_have_a_net_for_each_plan(tmp_path):
    file = _write_manifest(tmp_path, ALL_PLANS + 'race = "race"\n')
    nets = {entry.name: load_net(entry, tmp_path) for entry in read_manifest(file).nets}
    loaded = Catalogue(file).load_evaluator("split").evaluate(CONTACT)
    for plan, rows in (
        (plan, classify_contact(CONTACT) == place) for place, plan in enumerate(CONTACT_CLASSES)
    ):
        evaluated = nets[plan].evaluate(CONTACT[rows])[:, 0]
        np.testing.assert_allclose(loaded[rows][:, 0], evaluated, atol=1e-6)
    with pytest.raises(DataFileError, match="one for each contact class"):
        Catalogue(file).load_pruner()


@pytest.mark.parametrize(
    ("evaluator", "message"),
    [
        ('race = "race"\n', "expected 'contact', or 'plans' and 'race'"),
        (ALL_PLANS, "expected 'contact', or 'plans' and 'race'"),
        (ALL_PLANS + 'contact = "mutual"\nrace = "race"\n', "expected 'contact', or 'plans' and 'race'"),
        ('plans = {mutual = "mutual"}\nrace = "race"\n', "missing required field"),
        (
            ALL_PLANS.replace('"loose"', '"race"') + 'race = "race"\n',
            "expected a net for loose, 'race' is one for race",
        ),
    ],
)
def test_plans_that_do_not_fit_are_refused(tmp_path, evaluator, message):
    with pytest.raises(DataFileError, match=message):
        read_manifest(_write_manifest(tmp_path, evaluator))
