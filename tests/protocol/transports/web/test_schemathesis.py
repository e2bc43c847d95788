"""schemathesis sends what the OpenAPI file describes, and what it does not, to a running server."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.protocol.transports.web.serving import run, running

HERE = Path(__file__).parent
MOST_S = 40
PROGRAM = "import sys; from schemathesis.cli import schemathesis; sys.exit(schemathesis())"


@pytest.mark.slow
def test_schemathesis_finds_nothing(tmp_path):
    pytest.importorskip("schemathesis")

    async def scenario():
        async with running(archive=tmp_path / "archive.sqlite", accounts=True) as server:
            command = [
                *(sys.executable, "-c", PROGRAM, "--config-file", str(HERE / "schemathesis.toml")),
                *("run", f"{server.url}/api/v1/openapi.yaml", "--url", server.url),
                *("--phases", "examples,coverage,fuzzing", "--mode", "all", "--checks", "all"),
                *("--max-examples", "10", "--max-time", str(MOST_S), "--seed", "1", "--warnings", "off"),
                *(
                    "--request-timeout",
                    "60",
                    "--max-response-time",
                    "60",
                    "--no-color",
                    "--continue-on-failure",
                ),
            ]
            environment = {**os.environ, "PYTHONPATH": str(HERE), "SCHEMATHESIS_HOOKS": "schemathesis_hooks"}
            return await asyncio.to_thread(
                subprocess.run, command, capture_output=True, text=True, env=environment, cwd=tmp_path
            )

    done = run(scenario(), 4 * MOST_S)
    assert done.returncode == 0, done.stdout[-8000:] + done.stderr[-2000:]
    assert "Tested: 0" not in done.stdout
    assert "No issues found" in done.stdout
