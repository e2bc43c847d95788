"""Reports: tables for people, JSON for programs."""

from __future__ import annotations

import json
import math
from collections.abc import Collection, Sequence

from gammond.engine.runtime.version import read_version


def format_table(
    head: Sequence[str], rows: Sequence[Sequence[str]], left: Collection[int] = frozenset({0})
) -> str:
    """Format rows as lines of aligned columns, those of which the places are given to the left.

    A column that has nothing is left out.
    """
    lines = [head, *rows]
    widths = [max(len(line[place]) for line in lines) for place in range(len(head))]
    return "".join(
        "  ".join(
            text.ljust(width) if place in left else text.rjust(width)
            for place, (text, width) in enumerate(zip(line, widths, strict=True))
            if width
        ).rstrip()
        + "\n"
        for line in lines
    )


def format_json_report(decimals: int | None = None, /, **fields: object) -> str:
    """Write a report as one line of JSON, after the version of the program.

    Args:
        decimals: As for `to_json_value`.
        fields: Of the report.
    """
    return json.dumps(to_json_value({"version": read_version(), **fields}, decimals)) + "\n"


def to_json_value(value: object, decimals: int | None = None) -> object:
    """Return a value as JSON has it, nested values too: null where a figure is not known.

    Args:
        value: The value.
        decimals: To which figures are rounded; None for all that they have.
    """
    match value:
        case float() if not math.isfinite(value):
            return None
        case float() if decimals is not None:
            return round(value, decimals)
        case dict():
            return {key: to_json_value(each, decimals) for key, each in value.items()}
        case list() | tuple():
            return [to_json_value(each, decimals) for each in value]
    return value
