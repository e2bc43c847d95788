import pytest

from gammond.protocol.core.requests import JsonReply, Reply
from gammond.protocol.repl.answers.progress import ProgressLine
from tests.protocol.talking import make_info

WAITED = ("trials 0 of 100 time_ms 500", "trials 0 of 100 time_ms 20000")
"""What a rollout reports while kernels are compiled."""


@pytest.mark.parametrize(
    ("reports", "line"),
    [
        (["nodes 12345 time_ms 1250"], "thinking: 12,345 positions, 1.2 s"),
        (
            [
                "depth 2 nodes 400 time_ms 20 multipv 1 score -0.166506 pv 8/5 6/5",
                "nodes 900 time_ms 700",
            ],
            "thinking: 1 ply done, best 8/5 6/5 -0.167, 900 positions, 0.7 s",
        ),
        (["depth 3 nodes 4 time_ms 700"], "thinking: 2 plies done, 4 positions, 0.7 s"),
        (["depth 1 nodes 16 time_ms 2 multipv 1 score 0.1 pv 8/5 6/5"], ""),
        (
            ["trials 9 of 36 time_ms 100 equity 0.123456 se 0.056789 pv 24/20 13/10"],
            "rolling out: 9 of 36 trials, 24/20 13/10 +0.123 ± 0.057, 0.1 s",
        ),
        (["trials 1 of 36 time_ms 100 equity -0.5"], "rolling out: 1 of 36 trials, -0.500, 0.1 s"),
        (["trials 0 of 36 time_ms 100"], "rolling out: 0 of 36 trials, 0.1 s"),
        (
            [*WAITED, "trials 10 of 100 time_ms 22000 equity 0.5"],
            "rolling out: 10 of 100 trials, +0.500, 22.0 s, up to 18 s left",
        ),
        (
            ["trials 50 of 100 time_ms 500", "trials 60 of 100 time_ms 2500"],
            "rolling out: 60 of 100 trials, 2.5 s, up to 8 s left",
        ),
        (["ready 3 of 12 time_ms 1250"], "getting ready: 3 of 12, 1.2 s"),
        (["analysed 0 of 281 time_ms 400"], "analysing: 0 of 281 decisions, 0.4 s"),
        (["analysed 70 of 280 time_ms 2000"], "analysing: 70 of 280 decisions, 2.0 s, 6 s left"),
    ],
)
def test_progress_says_what_is_done_how_far_it_is_and_the_time_left(reports, line):
    progress = ProgressLine()
    assert [progress.update(make_info(report)) for report in reports][-1] == line


def test_other_lines_show_nothing():
    assert ProgressLine().update(Reply("move", is_final=False)) == ""
    assert ProgressLine().update(JsonReply({}, is_final=False)) == ""
