"""The file's own answers: what is due to be searched deeper, by which tiers, and how visits age."""

import pytest

from gammond.engine.errors import FormatError, ValueRangeError
from gammond.engine.store.database import DEFAULT_TIERS, HALVING_S, DepthTiers, StoreDatabase, StoreRow
from tests.engine.store.samples import ENGINE, OTHER_NET, make_entry, make_question

NOW_S = 500 * HALVING_S + 9


@pytest.fixture
def database(tmp_path):
    opened = StoreDatabase(tmp_path / "store.sqlite")
    yield opened
    opened.close()


def put(database, number, plies, visits, asked=NOW_S, engine=ENGINE):
    for each in range(1, plies + 1):
        database.put_row(StoreRow(make_question(number), engine, make_entry(each), visits, asked, asked))


def list_due(database, tiers=DEFAULT_TIERS, now_s=NOW_S, limit=100):
    due = database.list_due(ENGINE.digest, tiers, now_s, limit)
    numbers = {make_question(number): number for number in range(100)}
    return [(numbers[each.question], each.plies, each.visits) for each in due]


def test_a_question_is_due_until_it_has_the_depth_of_its_visits(database):
    for number, (plies, visits) in enumerate(
        [(1, 1), (2, 1), (2, 2), (2, 3), (3, 4), (3, 5), (4, 50), (1, 0)]
    ):
        put(database, number, plies, visits)
    put(database, 60, 1, 99, engine=OTHER_NET)
    assert sorted(list_due(database)) == [(0, 2, 1), (3, 3, 3), (5, 4, 5)]
    assert sorted(list_due(database, DepthTiers(((2, 1), (4, 4))))) == [(4, 4, 4), (5, 4, 5)]


def test_one_that_is_asked_often_goes_a_ply_at_a_time_and_all_of_them_are_counted(database):
    put(database, 0, 1, 20)
    put(database, 1, 1, 1)
    assert list_due(database) == [(0, 2, 20), (1, 2, 1)]
    assert database.count_due(ENGINE.digest, DEFAULT_TIERS, NOW_S) == {2: 2, 3: 1, 4: 1}
    assert database.count_due(OTHER_NET.digest, DEFAULT_TIERS, NOW_S) == {}


def test_the_most_asked_for_the_time_of_a_search_comes_first_then_the_last_asked(database):
    put(database, 0, 3, 300)
    put(database, 1, 1, 1, asked=NOW_S - 1)
    put(database, 2, 1, 1)
    put(database, 3, 2, 3)
    put(database, 4, 2, 20)
    assert [number for number, _, _ in list_due(database)] == [4, 0, 2, 1, 3]
    assert len(list_due(database, limit=2)) == 2


def test_visits_count_half_after_each_period_and_a_question_of_long_ago_is_due_no_longer(database):
    put(database, 0, 3, 20)
    for periods, due in enumerate([[(0, 4, 20)], [(0, 4, 10)], [(0, 4, 5)], []]):
        assert list_due(database, now_s=NOW_S + periods * HALVING_S) == due
    database.count_visits(make_question(0), ENGINE.digest, 3, NOW_S + 2 * HALVING_S)
    [*_, row] = database.iterate()
    assert (row.visits, row.asked) == (20 // 4 + 3, NOW_S + 2 * HALVING_S)
    assert database.count_visits_of_all(NOW_S + 3 * HALVING_S) == 4


@pytest.mark.parametrize(("visits", "periods", "kept"), [(40, -3, 6), (80, -3, 10), (2, 1, 3), (4, 1, 4)])
def test_of_its_uses_in_two_files_a_question_keeps_what_counts_more(database, visits, periods, kept):
    put(database, 0, 1, 6)
    put(database, 0, 1, visits, NOW_S + periods * HALVING_S)
    [row] = database.iterate()
    assert (row.visits, row.asked) == (kept, NOW_S + max(0, periods) * HALVING_S)


def test_eviction_removes_what_counts_least_now(database):
    put(database, 0, 1, 30, NOW_S - 5 * HALVING_S)
    put(database, 1, 1, 2)
    put(database, 2, 1, 3)
    assert database.evict(database.count_used_bytes() - 1, NOW_S) == 1
    assert [row.question for row in database.iterate()] == [make_question(2), make_question(1)]


def test_the_default_is_that_of_the_founding_document_in_plies_of_the_field():
    assert DEFAULT_TIERS.steps == ((1, 2), (3, 3), (5, 4))


def test_tiers_read_back_as_they_are_written():
    assert str(DEFAULT_TIERS) == "1:2/3:3/5:4"
    assert DepthTiers.parse(str(DEFAULT_TIERS)) == DEFAULT_TIERS
    assert DepthTiers.parse("10:1/ 20:4").steps == ((10, 1), (20, 4))


@pytest.mark.parametrize("text", ["", "3", "1:2,3:3", "1:2/", "a:b", "1:-2", "1:2:3", "\u0661:2"])
def test_what_is_no_list_of_tiers_is_refused(text):
    with pytest.raises(FormatError, match="expected tiers as VISITS:PLIES, such as 1:2/3:3/5:4"):
        DepthTiers.parse(text)


@pytest.mark.parametrize("text", ["0:2", "1:0", "1:5", "1:3/2:2", "3:2/3:3", "5:2/3:3", "9999999:2"])
def test_tiers_that_do_not_rise_or_are_out_of_range_are_refused(text):
    with pytest.raises(ValueRangeError, match="rising visits"):
        DepthTiers.parse(text)
