"""`python -m tests.attacks`: attacks on servers of this checkout, and the soak.

Each attack starts its own `gammond serve`, prints one line with figures, and ends all that it started. The
exit status is 1 if any attack found something.
"""

from __future__ import annotations

import argparse
import random
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from gammond.engine.runtime.exit_codes import EXIT_INTERRUPTED
from gammond.tools.common.interrupts import raise_on_interrupt
from tests.attacks.catalogue import ATTACKS
from tests.attacks.server import AttackError, Home, run_gammond
from tests.attacks.soak import run_soak
from tests.attacks.trial import Attack, Trial, say, show_running

SOAK = "soak"


def parse_arguments(words: Sequence[str] | None = None) -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(prog="python -m tests.attacks", description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"attacks (default all), or '{SOAK}'")
    parser.add_argument("--list", action="store_true", help="list the attacks")
    parser.add_argument("--small", action="store_true", help="a small dose of each, together under a minute")
    parser.add_argument("--minutes", type=float, default=60.0, help="start no attack after this (default 60)")
    parser.add_argument("--seed", type=int, default=1, help="of everything that is drawn (default 1)")
    parser.add_argument(
        "--home",
        type=Path,
        metavar="FOLDER",
        help="keep compiled kernels and databases here for the next time (default: a folder that is removed)",
    )
    parser.add_argument(
        "--lines", type=int, metavar="N", help="mutated lines of 'fuzz' (default 50,000, small 1,500)"
    )
    parser.add_argument("--hours", type=float, default=2.0, help=f"length of '{SOAK}' (default 2)")
    parser.add_argument(
        "--output", type=Path, default=Path("soak"), help=f"folder for the figures of '{SOAK}' (default soak)"
    )
    args = parser.parse_args(words)
    known = {attack.name for attack in ATTACKS} | {SOAK}
    if unknown := sorted(set(args.names) - known):
        parser.error(f"no attack {unknown[0]!r}: --list lists them")
    return args


def main(words: Sequence[str] | None = None) -> int:
    """Run what is asked for; return 1 if anything failed."""
    args = parse_arguments(words)
    if args.list:
        for attack in ATTACKS:
            say(f"{attack.name:<20} {attack.summary}")
        say(f"{SOAK:<20} a dozen clients that mix everything for --hours")
        return 0
    try:
        with raise_on_interrupt(), tempfile.TemporaryDirectory(prefix="gammond-attacks-") as scratch:
            kept = Path(scratch) if args.home is None else args.home.resolve()
            home = Home(Path(scratch), kept / "cache", kept / "data")
            prepare(home)
            if SOAK in args.names:
                return 0 if run_soak(args, home) else 1
            return run_attacks(args, home)
    except KeyboardInterrupt:
        say("stopped")
        return EXIT_INTERRUPTED


def prepare(home: Home) -> None:
    """Compile what all servers need, so that no attack waits for it.

    Raises:
        AttackError: It fails.
    """
    with show_running("gammond prepare"):
        done = run_gammond(home, "prepare", timeout_s=3600)
    if done.returncode:
        raise AttackError(f"'gammond prepare' failed: {done.stderr[-500:]}")


def run_attacks(args: argparse.Namespace, home: Home) -> int:
    """Run the attacks that are asked for, each with its line; return 1 if any failed."""
    chosen = [attack for attack in ATTACKS if not args.names or attack.name in args.names]
    began_s, failed, left_out = time.monotonic(), [], []
    for attack in chosen:
        if time.monotonic() - began_s > 60 * args.minutes:
            left_out.append(attack.name)
            say(f"LEFT {attack.name:<20} the {args.minutes:g} minutes are over")
        elif not run_attack(attack, home, args):
            failed.append(attack.name)
    took_s = time.monotonic() - began_s
    say(
        f"{len(chosen) - len(failed) - len(left_out)} of {len(chosen)} attacks held in {took_s:.0f} s"
        + (f"; failed: {', '.join(failed)}" if failed else "")
    )
    return 1 if failed or left_out else 0


def run_attack(attack: Attack, home: Home, args: argparse.Namespace) -> bool:
    """Run one attack, print its line, and return whether the program held."""
    began_s = time.monotonic()
    with show_running(attack.name) as note:
        trial = Trial(
            home.make_subfolder(attack.name),
            random.Random(f"{attack.name} {args.seed}"),
            args.small,
            note,
            args.lines,
        )
        try:
            word, figures = "PASS", attack.run(trial)
        except AttackError as error:
            word, figures = "FAIL", str(error)
    say(f"{word} {attack.name:<20} {time.monotonic() - began_s:5.1f} s  {figures}")
    return word == "PASS"


if __name__ == "__main__":
    sys.exit(main())
