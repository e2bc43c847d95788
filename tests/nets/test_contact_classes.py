"""Contact classes: the class of a position, and the net that evaluates it."""

from __future__ import annotations

import hashlib

import numpy as np
import pytest

from gammond.engine.errors import DataFileError
from gammond.engine.rules.position import Phase, classify_phases
from gammond.nets.catalogue import Catalogue
from gammond.nets.compiled_net import load_net
from gammond.nets.manifest import CONTACT_CLASSES, read_manifest
from gammond.nets.router import Router, classify_contact
from tests.nets.net_files import write_net
from tests.nets.stand_ins import Marker
from tests.support import boards

CONTACT = boards.random_boards(600, seed=4)
CONTACT = CONTACT[classify_phases(CONTACT) == Phase.CONTACT]


MARKERS = [Marker(number / 10) for number in range(len(CONTACT_CLASSES))]


@pytest.mark.parametrize(
    ("plan", "x", "o"),
    [
        ("mutual", {24: 2, 13: 5}, {1: 2, 12: 5}),
        ("mutual", {25: 1, 19: 1, 8: 3}, {0: 2, 18: 4}),
        ("holding", {24: 1, 20: 1, 6: 3}, {1: 1, 7: 4}),
        ("containing", {24: 1, 18: 2}, {6: 2, 12: 5}),
        ("loose", {18: 2, 13: 3}, {7: 2, 12: 3}),
        ("loose", {24: 1, 6: 2}, {1: 1, 19: 2}),
    ],
)
def test_a_contact_class_is_which_sides_have_two_checkers_back(plan, x, o):
    board = boards.position(x, o).board
    assert CONTACT_CLASSES[classify_contact(board[None])[0]] == plan
    turned = {"holding": "containing", "containing": "holding"}
    assert CONTACT_CLASSES[classify_contact(board[None, ::-1])[0]] == turned.get(plan, plan)


def test_each_position_goes_to_the_net_of_its_plan_and_comes_back_in_input_order():
    outcomes = Router("all", MARKERS).evaluate(CONTACT)
    own, opposing = (CONTACT[:, side, 19:].sum(axis=1) >= 2 for side in (0, 1))
    marks = np.floor(10 * outcomes[:, 0])
    for number, plan in enumerate([~own & ~opposing, own & ~opposing, ~own & opposing, own & opposing]):
        assert plan.any()
        assert (marks[plan] == number).all()
    one_by_one = np.concatenate([Router("all", MARKERS).evaluate(board[None]) for board in CONTACT])
    np.testing.assert_array_equal(outcomes, one_by_one)


def _write_manifest(folder, evaluator):
    entries = []
    for phase in (*CONTACT_CLASSES, "race"):
        file = write_net(folder / f"{phase}.onnx", seed=len(phase))
        sha256 = hashlib.sha256(file.read_bytes()).hexdigest()
        entries.append(
            f'[[net]]\nname = "{phase}"\nfile = "{file.name}"\nphase = "{phase}"\nencoder = "tesauro196"\n'
            f'hidden = [8]\noutputs = "cumulative5"\nsha256 = "{sha256}"\n'
        )
    manifest = folder / "manifest.toml"
    text = 'default = "split"\n' + "".join(entries) + f'[[evaluator]]\nname = "split"\n{evaluator}'
    manifest.write_text(text, "utf-8")
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
