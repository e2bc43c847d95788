from __future__ import annotations

from pathlib import Path

from gammond.engine.runtime.compilation import COMPILATION
from gammond.protocol.transports.web.metrics import Histogram, ServerFigure, format_figures, read_memory_bytes
from tests.protocol.transports.web.serving import request, running, talk


def test_values_are_lines_with_a_head():
    assert format_figures([ServerFigure("tables", "gauge", "tables", 3)]) == (
        "# HELP gammond_tables tables\n# TYPE gammond_tables gauge\ngammond_tables 3\n"
    )
    labelled = ServerFigure("errors_total", "counter", "errors", {"limit": 2, "busy": 1}, "code")
    assert labelled.format_lines()[2:] == [
        'gammond_errors_total{code="busy"} 1',
        'gammond_errors_total{code="limit"} 2',
    ]


def test_a_histogram_counts_each_time_in_all_buckets_that_reach_it():
    histogram = Histogram()
    for seconds in (0.0001, 0.001, 0.3, 99.0):
        histogram.add(seconds)
    lines = histogram.format_lines("wait")
    assert 'wait_bucket{le="0.0005"} 1' in lines
    assert 'wait_bucket{le="0.001"} 2' in lines
    assert 'wait_bucket{le="0.25"} 2' in lines
    assert 'wait_bucket{le="10"} 3' in lines
    assert lines[-3:] == ['wait_bucket{le="+Inf"} 4', "wait_sum 99.301100", "wait_count 4"]


def test_a_process_knows_its_memory():
    assert 10e6 < read_memory_bytes() < 100e9


async def test_an_operator_reads_health_and_figures():
    async with running() as server, server.connect() as socket:
        await talk(socket, "nonsense", 1)
        await request(server, "GET", "/nowhere")
        health = (await request(server, "GET", "/healthz")).document
        lines = (await request(server, "GET", "/metrics")).body.decode().splitlines()
    assert health["ok"]
    assert health["uptime_s"] > 0
    assert 'gammond_clients{kind="line"} 1' in lines
    assert 'gammond_clients{kind="tcp"} 0' in lines
    assert "gammond_requests_total 1" in lines
    assert 'gammond_errors_total{code="bad_command"} 1' in lines
    assert 'gammond_http_answers_total{status="404"} 1' in lines
    assert any(line.startswith("gammond_memory_bytes ") for line in lines)
    page = (Path(__file__).parents[4] / "docs/reference/web.md").read_text("utf-8")
    names = [line.split()[2] for line in lines if line.startswith("# TYPE ")]
    missing = [name for name in names if f"`{name}`" not in page and f"`{name}{{" not in page]
    assert missing == [], "each stands in the table of docs/reference/web.md"


async def test_health_tells_how_far_compiling_is_while_it_goes_on(monkeypatch):
    async with running() as server:
        before = (await request(server, "GET", "/healthz")).document
        monkeypatch.setattr(COMPILATION, "find_progress", lambda: {"done": 3, "elapsed_s": 20})
        during = (await request(server, "GET", "/healthz")).document
    assert "compiling" not in before
    assert during["compiling"] == {"done": 3, "elapsed_s": 20}
