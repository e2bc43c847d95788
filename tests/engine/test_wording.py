"""Numbers of things, and text that prints."""

from gammond.engine.wording import escape_unprintable, format_count, shorten_names


def test_things_are_counted_in_one_or_in_many():
    assert [format_count(number, "ply") for number in (0, 1, 2)] == ["0 plies", "1 ply", "2 plies"]
    assert [format_count(number, "play") for number in (0, 1, 2_000)] == ["0 plays", "1 play", "2,000 plays"]
    assert [format_count(number, "match", "matches") for number in (1, 2)] == ["1 match", "2 matches"]


def test_what_does_not_print_is_escaped_and_letters_stay():
    assert escape_unprintable("Zoë\x1b[2J\n") == r"Zoë\x1b[2J\n"
    assert escape_unprintable("Zoë") == "Zoë"


def test_names_are_cut_where_that_shows_and_stay_different():
    assert shorten_names(["Ann", "Bob"], 8) == ["Ann", "Bob"]
    assert shorten_names(["Christopher", "Bob"], 8) == ["Chris...", "Bob"]
    assert shorten_names(["Christopher Ann", "Christopher Bob", "Eve"], 8) == ["Ch...Ann", "Ch...Bob", "Eve"]
    assert shorten_names(["Christopher", "Christopher"], 8) == ["Chris...", "Chris..."]
    assert all(len(name) == 8 for name in shorten_names(["x" * 9, "x" * 10], 8))
