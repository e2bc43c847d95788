"""Measure the speed of gammond on this machine, after checking the answers."""

from __future__ import annotations

import importlib.metadata
import json
import os
import platform
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict
from typing import Annotated

from msgspec import Struct

from gammond.engine.runtime.version import read_version
from gammond.tools.bench.barca import bench_barca
from gammond.tools.bench.crowd import bench_crowd
from gammond.tools.bench.engine import (
    bench_batch,
    bench_bearoff,
    bench_decisions,
    bench_encoding,
    bench_evaluation,
    bench_moves,
)
from gammond.tools.bench.external import bench_external
from gammond.tools.bench.gnubg_timing import bench_gnubg
from gammond.tools.bench.measure import BenchmarkSubject, Measurement
from gammond.tools.bench.process import bench_startup
from gammond.tools.bench.rollouts import bench_rollouts
from gammond.tools.bench.search import bench_search
from gammond.tools.bench.signature import compute_signature
from gammond.tools.bench.store import bench_store
from gammond.tools.bench.wire import bench_server, bench_stdin
from gammond.tools.common.command_options import Json, ToolCommand, option
from gammond.tools.common.strength import DEFAULT_NET, Net

SUMMARY = "measure the speed of this machine, or print the signature"

BENCHMARKS: dict[str, Callable[[BenchmarkSubject], Iterator[Measurement]]] = {
    "moves": bench_moves,
    "encoding": bench_encoding,
    "evaluation": bench_evaluation,
    "decisions": bench_decisions,
    "search": bench_search,
    "rollouts": bench_rollouts,
    "batch": bench_batch,
    "bearoff": bench_bearoff,
    "startup": bench_startup,
    "stdin": bench_stdin,
    "server": bench_server,
    "store": bench_store,
    "crowd": bench_crowd,
    "external": bench_external,
    "gnubg": bench_gnubg,
    "barca": bench_barca,
}
"""All benchmarks by name, in the order in which they run."""

_EDGE_WARNING = 0.02
_PACKAGES = ("numpy", "numba", "onnxruntime")


class BenchOptions(Struct, frozen=True, kw_only=True):
    """What is measured, and how it is written."""

    only: Annotated[
        tuple[str, ...],
        option(f"benchmarks to run: {', '.join(BENCHMARKS)}", "NAME", choices=tuple(BENCHMARKS), count="+"),
    ] = ()
    json: Json = False
    net: Net = DEFAULT_NET
    signature: Annotated[
        bool,
        option("only print a number over 1,000 fixed positions, which changes when rules or evaluations do"),
    ] = False


def run(options: BenchOptions) -> int:
    """Run the tool.

    Returns:
        0.

    Raises:
        WrongAnswerError: An answer was wrong; nothing after it was measured.
    """
    subject = BenchmarkSubject(options.net)
    if options.signature:
        return _print_signature(subject, options.json)
    measurements = []
    if not options.json:
        sys.stdout.write(_format_title(subject))
    for name in options.only or BENCHMARKS:
        for measurement in BENCHMARKS[name](subject):
            measurements.append({"benchmark": name, **asdict(measurement)})
            if not options.json:
                sys.stdout.write(format_row(name, measurement))
                sys.stdout.flush()
    if options.json:
        sys.stdout.write(json.dumps(make_report(subject, measurements), indent=2) + "\n")
    return 0


def format_row(benchmark: str, measurement: Measurement) -> str:
    """Format a measurement of a benchmark as a line of the table."""
    value = measurement.value
    figure = "-" if value is None else f"{value:,.0f}" if value >= 100 else f"{value:.3g}"
    what = f"{benchmark:<11}{measurement.what:<52}"
    return f"{what}{figure:>12} {measurement.unit:<12} {measurement.note}".rstrip() + "\n"


def make_report(subject: BenchmarkSubject, measurements: Sequence[dict[str, object]]) -> dict[str, object]:
    """Make one JSON object of everything: program, net, machine, packages, measurements."""
    return {
        "gammond": read_version(),
        "net": subject.evaluator.name,
        "machine": _describe_machine(),
        "packages": {name: importlib.metadata.version(name) for name in _PACKAGES},
        "measurements": measurements,
    }


def _describe_machine() -> dict[str, object]:
    return {"python": platform.python_version(), "processor": platform.machine(), "cores": os.cpu_count()}


def _format_title(subject: BenchmarkSubject) -> str:
    packages = ", ".join(f"{name} {importlib.metadata.version(name)}" for name in _PACKAGES)
    machine = _describe_machine()
    return (
        f"gammond {read_version()} bench, net {subject.evaluator.name}; python "
        f"{machine['python']}, {packages}; "
        f"{machine['cores']} cores {machine['processor']}, one thread unless said\n"
    )


def _print_signature(subject: BenchmarkSubject, as_json: bool) -> int:
    signature = compute_signature(subject.evaluator)
    if as_json:
        parts = {
            "rules": signature.rules,
            "judgement": signature.evaluations,
            "edge_distance": signature.edge_distance,
            "signature": str(signature),
            "net": subject.evaluator.name,
        }
        sys.stdout.write(json.dumps(parts) + "\n")
    else:
        sys.stdout.write(f"{signature}\n")
    if signature.edge_distance < _EDGE_WARNING:
        sys.stderr.write(
            f"gammond bench: the sum lies {signature.edge_distance:.4f} steps from a rounding edge; "
            "another processor may print the next number\n"
        )
    return 0


COMMAND = ToolCommand(BenchOptions, run)
