"""Numbers of options, checked against the range that they may have."""

from __future__ import annotations

from gammond.engine.errors import ValueRangeError


def check_number(option: str, number: float, least: float, most: float | None = None) -> None:
    """Check the number of an option.

    Args:
        option: Its name, without the dashes before it.
        number: What was given.
        least: The least that it may be.
        most: The greatest; None for no limit.

    Raises:
        ValueRangeError: It is out of range.
    """
    if number < least or (most is not None and not number <= most):
        expected = f"{least} or more" if most is None else f"{least} to {most}"
        raise ValueRangeError(
            f"--{option}: expected {expected}, got {number}", field=option.replace("-", "_")
        )
