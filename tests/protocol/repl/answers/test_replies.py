import pytest

from gammond.protocol.core.requests import WorkControl
from gammond.protocol.repl.answers.replies import RefusedRequestError, send_command
from tests.protocol.repl.tables import make_session


def test_all_lines_of_an_answer_come_back_the_last_one_final():
    session = make_session()
    send_command(session, "newgame", WorkControl())
    lines = send_command(session, "board", WorkControl())
    assert [line.is_final for line in lines] == [False] * 15 + [True]


def test_a_refusal_carries_the_line_that_says_why():
    with pytest.raises(RefusedRequestError) as caught:
        send_command(make_session(), "roll", WorkControl())
    assert caught.value.reply.word == "error"
    assert caught.value.reply.text.startswith("bad_state position: no position")
