from gammond.tools.hypergammon.command import SolvingProgress


def test_a_line_says_what_is_computed_the_step_and_the_largest_change(capsys):
    now = [0.0]
    bar = SolvingProgress(lambda: now[0])
    bar.show(0.42, "4 of 6 owned cube, step 1")
    assert capsys.readouterr().err == ""
    now[0] += 61.0
    bar.show(0.588, "4 of 6 owned cube, step 14, largest change 8.3e-05, goal 1.0e-08")
    line = "58 %  4 of 6 owned cube, step 14, largest change 8.3e-05, goal 1.0e-08  1:01"
    assert capsys.readouterr().err == f"gammond hypergammon: {line}\n"
    assert bar.format_line(79) == f" {line}"


def test_the_first_step_has_no_change_and_the_end_is_the_whole(capsys):
    bar = SolvingProgress(lambda: 0.0)
    bar.show(0.0, "1 of 6 equity, step 1")
    assert bar.format_line() == "[........................]   0 %  1 of 6 equity, step 1  0:00"
    bar.finish()
    assert bar.format_line() == "[########################] 100 %  solved  0:00"
