"""What commands do not import, so that they start at once."""

import pytest

from gammond.tools import cli
from tests.support.processes import run_python
from tests.tools.test_all_commands import GROUPS, MODULES

MAIN = "from gammond.tools.cli import main; "
OTHERS = {*MODULES.values()}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("code", "heavy"),
    [
        (f"{MAIN}main(['--help']); main(['--version'])", {"numba", "onnxruntime", *cli.TOOLS.values()}),
        *(
            (f"{MAIN}main([{name!r}, '--help'])", {"numba", "numpy", *GROUPS[name].values()})
            for name in GROUPS
        ),
        (
            f"{MAIN}main(['eval', 'startpos'])",
            {"prompt_toolkit", "onnxruntime", "asyncio", "matplotlib", "shtab"},
        ),
        (
            "from gammond.tools.common.wings import find_wings; find_wings()",
            {"numba", "numpy", "msgspec", "gammond.tools.train.runs.trainer"},
        ),
        (
            "import gammond.tools.serve.command, gammond.protocol.transports.tcp",
            {"argon2", "starlette", "uvicorn", "websockets"},
        ),
    ],
)
def test_what_only_other_commands_need_is_not_imported(code, heavy):
    ended = run_python(f"import sys; {code}; sys.exit(str({heavy!r} & set(sys.modules) or ''))")
    assert ended.stderr.strip() == "", ended.stderr
