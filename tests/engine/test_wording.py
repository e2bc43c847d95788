"""Numbers of things, and text that prints."""

from engine.wording import escape_unprintable, format_count


def test_things_are_counted_in_one_or_in_many():
    assert [format_count(number, "ply") for number in (0, 1, 2)] == ["0 plies", "1 ply", "2 plies"]
    assert [format_count(number, "play") for number in (0, 1, 2_000)] == ["0 plays", "1 play", "2,000 plays"]
    assert [format_count(number, "match", "matches") for number in (1, 2)] == ["1 match", "2 matches"]


def test_what_does_not_print_is_escaped_and_letters_stay():
    assert escape_unprintable("Zoë\x1b[2J\n") == r"Zoë\x1b[2J\n"
    assert escape_unprintable("Zoë") == "Zoë"
