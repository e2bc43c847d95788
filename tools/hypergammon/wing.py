"""What hypergammon adds to other commands: its solutions, which `gammond doctor` examines."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

from gammond.tools.common.wings import Wing


def _list_checks() -> Iterator[tuple[str, Callable[[], str]]]:
    from gammond.engine.hypergammon.layouts import VARIANTS
    from gammond.engine.hypergammon.solution import find_path
    from gammond.engine.hypergammon.table import open_file

    def check(checkers: int) -> str:
        open_file(find_path(checkers), checkers)
        return f"{find_path(checkers)}, checksum correct"

    for checkers in VARIANTS:
        if find_path(checkers).exists():
            yield f"hypergammon, {checkers} a side", partial(check, checkers)


WING = Wing(list_checks=_list_checks)
