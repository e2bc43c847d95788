import pytest

from gammond.engine.errors import StateError
from gammond.protocol.core.requests import WorkControl
from gammond.protocol.repl.answers.replies import send_command
from tests.protocol.repl.tables import make_session


def test_all_lines_of_an_answer_come_back_the_last_one_final():
    session = make_session()
    send_command(session, "newgame", WorkControl())
    lines = send_command(session, "board", WorkControl())
    assert [line.is_final for line in lines] == [False] * 15 + [True]


def test_a_refusal_is_the_error_that_says_why():
    with pytest.raises(StateError, match="no position") as caught:
        send_command(make_session(), "roll", WorkControl())
    assert caught.value.missing == "position"
