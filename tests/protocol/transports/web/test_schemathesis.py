"""schemathesis sends what the OpenAPI file describes, and what it does not, to a running server."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import urllib.request
from pathlib import Path

import pytest

from gammond.engine.kernels.disk_cache import cache_root
from gammond.engine.runtime.files import data_folder
from tests.attacks.server import Home, serve

HERE = Path(__file__).parent
MOST_S = 30
ANSWER_S = 300
"""Within which any answer comes, from a server whose kernels are being compiled on a busy machine too."""

_COMPILES_S = 400.0
PROGRAM = "import sys; from schemathesis.cli import schemathesis; sys.exit(schemathesis())"


def compile_kernels(url: str) -> None:
    """Ask what needs kernels, which may take a minute to compile beside other work."""
    start = {"o": {"6": 5, "8": 3, "13": 5, "24": 2}, "x": {"6": 5, "8": 3, "13": 5, "24": 2}}
    for cubeful in (False, True):
        asked = {"board": start, "cubeful": cubeful, "dice": [3, 1], "max-moves": 1, "player": "x"}
        request = urllib.request.Request(
            f"{url}/api/v1/getmoves", json.dumps(asked).encode(), {"Content-Type": "application/json"}
        )
        with urllib.request.urlopen(request, timeout=_COMPILES_S) as answer:
            assert answer.status == 200


@pytest.mark.slow
def test_schemathesis_finds_nothing(tmp_path):
    pytest.importorskip("schemathesis")
    home = Home(tmp_path, cache_root(), data_folder())
    archive = str(tmp_path / "archive.sqlite")
    with serve(home, "--archive", archive, "--accounts", dialect="--web") as server:
        url = f"http://127.0.0.1:{server.web_port}"
        compile_kernels(url)
        command = [
            *(sys.executable, "-c", PROGRAM, "--config-file", str(HERE / "schemathesis.toml")),
            *("run", f"{url}/api/v1/openapi.yaml", "--url", url),
            *("--phases", "examples,coverage,fuzzing", "--mode", "all", "--checks", "all"),
            *("--max-examples", "10", "--max-time", str(MOST_S), "--seed", "1", "--warnings", "off"),
            *("--request-timeout", str(ANSWER_S), "--max-response-time", str(ANSWER_S)),
            *("--no-color", "--continue-on-failure"),
        ]
        environment = {**os.environ, "PYTHONPATH": str(HERE), "SCHEMATHESIS_HOOKS": "schemathesis_hooks"}
        done = subprocess.run(
            command, capture_output=True, text=True, env=environment, cwd=tmp_path, timeout=2 * ANSWER_S
        )
    assert done.returncode == 0, done.stdout[-8000:] + done.stderr[-2000:]
    assert "Tested: 0" not in done.stdout
