import pytest

from protocol.repl.asking import RefusedRequestError, ask
from protocol.requests import Control
from tests.protocol.repl.tables import make_session


def test_all_lines_of_an_answer_come_back_the_last_one_final():
    session = make_session()
    ask(session, "newgame", Control())
    lines = ask(session, "board", Control())
    assert [line.is_final for line in lines] == [False] * 15 + [True]


def test_a_refusal_carries_the_line_that_says_why():
    with pytest.raises(RefusedRequestError) as caught:
        ask(make_session(), "roll", Control())
    assert caught.value.reply.word == "error"
    assert caught.value.reply.text.startswith("bad_state position: no position")
