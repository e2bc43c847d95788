"""What the cases of trainers learn from."""

import numpy as np
import pytest

from gammond.tools.heritage.gengammon.expert_moves.dataset import write_expert_moves
from gammond.tools.train.labels.shards import LABELS, Labels, ShardMetadata, write_shard
from gammond.tools.train.runs.run_folder import CONFIG_FILE
from gammond.tools.train.weights.random_positions import sample_random_positions
from tests.tools.heritage.gengammon.teaching import expert_moves
from tests.tools.train.runs.trainer_cases import SHARDS


@pytest.fixture(scope="module")
def material(tmp_path_factory):
    """Make what trainers learn from, and shards small."""
    folder = tmp_path_factory.mktemp("material")
    write_expert_moves(folder / "moves.npz", expert_moves(60, seed=1))
    boards = sample_random_positions(120, 1)
    targets = np.random.default_rng(1).random((120, 5)).astype(np.float32) / 2
    labels = Labels(boards, targets, np.zeros(120, np.uint8), ("selfplay",))
    write_shard(LABELS.find(folder / "labels", 0), labels, ShardMetadata("strong x", 1, 1))
    columns = "".join(f"{name}_before = []\n" for name in ("command", "games", "positions", "hours"))
    (folder / "labels" / CONFIG_FILE).write_text(
        f'[origin]\ncommand = "gammond train label"\nkind = "label"\n{columns}'
    )
    with pytest.MonkeyPatch.context() as patch:
        for name, size in SHARDS.items():
            patch.setattr(f"gammond.tools.train.{name}", size)
        yield folder


@pytest.fixture
def case(request, material):
    """The case of a test, with the material in its options."""
    return request.param.with_material(material)
