"""What a run of self-play says before it begins."""

import re
from functools import partial

from gammond.engine.play.paired_scores import PairedScores
from gammond.tools.train.td import command as td
from gammond.tools.train.td import plan
from gammond.tools.train.td.plan import describe_plan, measure_speed
from gammond.tools.train.td.self_play import TdSettings
from tests.support.commands import run_tool

SMALL = {"hidden": 8, "race_hidden": 4, "round_games": 16}
run_command = partial(run_tool, td)


def test_the_default_run_is_announced_with_its_games_files_and_time(tmp_path, monkeypatch):
    monkeypatch.setattr(plan, "_TIMED_GAMES", 100)
    lines = list(describe_plan(tmp_path / "run", TdSettings()))
    assert lines[0] == (
        f"{tmp_path / 'run'}: 2,000,000 games of self-play, 128 and 64 hidden units, 2 threads"
    )
    assert "2,000 games against pubeval" in lines[1]
    assert str(tmp_path / "run") in lines[2]
    assert "best.npz" in lines[2]
    assert "--resume" in lines[3]
    assert re.fullmatch(
        r"  about [0-9.]+ (seconds|minutes|hours) here, at [0-9.]+( k)? games/s as just measured", lines[4]
    )


def test_the_time_is_that_of_the_games_and_of_the_measurements_not_of_compiling(tmp_path, monkeypatch):
    clock, compiled = iter(range(1000)), []

    def play(*_):
        if not compiled:
            compiled.append([next(clock) for _ in range(50)])
        return {"pubeval": PairedScores.empty()}

    monkeypatch.setattr(plan.time, "monotonic", lambda: float(next(clock)))
    monkeypatch.setattr(
        plan, "measure_speed", lambda *_, **__: plan.MeasuredSpeed(games=5000, seconds=1.0, player=None)
    )
    monkeypatch.setattr(plan, "play_opponents", play)
    settings = TdSettings(games=600_000, checkpoint_every=60_000)
    *_, last = describe_plan(tmp_path / "run", settings)
    assert last.startswith("  about 4 minutes here, at 5.0 k games/s")  # 120 s, and 10 times 10 s


def test_the_plan_comes_before_the_run_and_the_strength_after_it(tmp_path, capsys):
    run = tmp_path / "run"
    options = ["--hidden", "8", "--race-hidden", "4", "--round-games", "16", "--games", "64"]
    assert run_command(str(run), *options, "--benchmark-games", "20") == 0
    written = capsys.readouterr()
    lines = written.err.splitlines()
    assert lines[0].startswith(f"{run}: 64 games of self-play")
    assert " games, rate " in lines[-1]
    assert not any("about" in line for line in lines)
    best, *commands = written.out.splitlines()
    assert re.fullmatch(rf"{re.escape(str(run))}: best after 64 games, .* against pubeval", best)
    assert commands[-1] == f"  gammond export {run} --name NAME"
    assert run_command(str(run), "--resume") == 0
    assert capsys.readouterr().err.startswith(f"{run}: 0 games of self-play")


def test_a_measurement_ends_when_its_time_is_over():
    speed = measure_speed(TdSettings(**SMALL), warm_up=32, timed=10**9, most_s=0.2)
    assert speed.games > 0
    assert 0.2 <= speed.seconds < 20
