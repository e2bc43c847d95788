"""Exit codes: no command has one without a name."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parents[3]


def test_no_command_returns_a_code_that_has_no_name():
    bare = re.compile(
        r"^ +(?:return [1-9]\d* if .* else 0|return 0 if .* else [1-9]\d*|sys\.exit\([1-9]\d*\))$", re.M
    )
    assert [
        str(path.relative_to(ROOT))
        for path in sorted((ROOT / "tools").rglob("*.py"))
        if "kernels" not in path.parts and bare.search(path.read_text("utf-8"))
    ] == []
