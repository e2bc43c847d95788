"""Answers that are given again as they were written."""

from __future__ import annotations

import pytest

from gammond.protocol.core.kept_answers import MAX_ANSWER_BYTES, KeptAnswers
from gammond.protocol.core.requests import Work


class Source:
    """A kept analysis that counts visits and can be lost."""

    def __init__(self, size=0):
        self.visits, self.is_kept, self.size = 0, True, size

    def ask_again(self):
        self.visits += self.is_kept
        return self.is_kept


def keep(answers, key, *data, sources=None, before=b""):
    """Keep an answer made of sources, one by default, by its work; return these."""
    sources = (Source(),) if sources is None else sources
    work = answers.keep_answer_of(Work(lambda control: (), sources=sources), key, before)
    for each in data:
        work.take_answer(each)
    return sources


def test_an_answer_is_given_again_and_counts_as_a_visit_to_all_it_is_made_of():
    answers = KeptAnswers()
    assert answers.recall("a") is None
    sources = keep(answers, "a", b"eval 1\n", sources=(Source(), Source()))
    assert [answers.recall("a") for _ in range(3)] == [b"eval 1\n"] * 3
    assert [each.visits for each in sources] == [3, 3]
    assert answers.recall("b") is None


def test_an_answer_is_forgotten_with_what_it_is_made_of():
    answers = KeptAnswers()
    (source,) = keep(answers, "a", b"eval 1\n")
    source.is_kept = False
    assert answers.recall("a") is None
    source.is_kept = True
    assert answers.recall("a") is None


@pytest.mark.parametrize("options", [{}, {"sources": (Source(),), "deadline_s": 1.0}])
def test_work_without_kept_analyses_or_with_a_time_limit_is_left_as_it_is(options):
    work = Work(lambda control: (), **options)
    assert KeptAnswers().keep_answer_of(work, "a") is work


def test_what_an_answer_begins_with_is_not_kept():
    answers = KeptAnswers()
    keep(answers, "a", b'{"id":1,"final":true}\n', before=b'{"id":1')
    assert answers.recall("a") == b',"final":true}\n'
    keep(answers, "b", b'{"answer":"query","id":1}\n', before=b'{"id":1')
    assert answers.recall("b") is None


def test_the_latest_answer_replaces_the_one_before():
    answers = KeptAnswers()
    keep(answers, "a", b"eval 1\n", b"eval 2\n")
    assert answers.recall("a") == b"eval 2\n"


@pytest.mark.parametrize("asked_again", [0, 1])
def test_those_asked_for_the_longest_ago_go_first(asked_again):
    answers = KeptAnswers(max_bytes=3 * (2048 + 1000))
    for number in range(3):
        keep(answers, number, b"x" * 1000)
    answers.recall(asked_again)
    keep(answers, 3, b"x" * 1000)
    assert [number for number in range(4) if answers.recall(number) is None] == [1 - asked_again]


def test_memory_stays_bounded_whatever_is_kept_again():
    answers = KeptAnswers(max_bytes=10_000)
    for number in range(1000):
        keep(answers, number % 7, b"x" * (number % 50))
    assert 0 < sum(answers.recall(number) is not None for number in range(7)) <= 4


def test_what_answers_are_made_of_counts_too():
    answers = KeptAnswers(max_bytes=100_000)
    for number in range(20):
        keep(answers, number, b"x", sources=(Source(10_000), Source(10_000)))
    assert [number for number in range(20) if answers.recall(number)] == [16, 17, 18, 19]


def test_an_answer_that_is_too_long_is_not_kept():
    answers = KeptAnswers()
    keep(answers, "a", b"x" * (MAX_ANSWER_BYTES + 1))
    assert answers.recall("a") is None
