"""Evaluate a file of positions, one a line in any format, into a table.

python examples/evaluate_file.py positions.txt [PLIES]
"""

import sys
from pathlib import Path

import gammond


def main(path: str, plies: str = "0") -> int:
    """Print a row for each line; bad lines are reported with their number and stop nothing."""
    engine = gammond.Engine()
    print(f"{'position':<16}{'win':>8}{'gammon':>8}{'equity':>9}{'cubeful':>9}  action")
    status = 0
    for number, line in enumerate(Path(path).read_text().splitlines(), 1):
        if not line.strip():
            continue
        try:
            position, match = gammond.parse(line)
            cube = engine.cube(position, match, int(plies))
        except gammond.GammondError as error:
            print(f"{path}:{number}: {error}", file=sys.stderr)
            status = 1
            continue
        value = cube.evaluation
        assert value is not None
        outcome = value.outcome
        print(
            f"{position.id:<16}{outcome.win:>8.3f}{outcome.win_gammon:>8.3f}{value.equity:>+9.3f}"
            f"{value.cubeful:>+9.3f}  {cube.action}"
        )
    return status


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
