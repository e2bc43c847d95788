"""Contact classes in the manifest: evaluators with a net for each."""

import numpy as np
import pytest

from gammond.engine.errors import DataFileError
from gammond.engine.rules.position import Phase, classify_phases
from gammond.nets.catalogue import Catalogue
from gammond.nets.compiled_net import load_net
from gammond.nets.manifest import CONTACT_CLASSES, read_manifest
from gammond.nets.router import classify_contact
from tests.nets.net_files import write_entries
from tests.support import boards

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
