from __future__ import annotations

import re

import pytest

from gammond.protocol.web.answers import find_status
from gammond.protocol.web.endpoints import ENDPOINTS, MAX_BODY_BYTES, MAX_MATCH_BYTES
from gammond.protocol.web.plans import API
from gammond.protocol.web.schemas import REPORT, TARGET
from tests.protocol.curl_lines import PAGE, read_exchanges, send
from tests.protocol.transcripts import find_difference, make_shipped_service
from tests.protocol.web_asking import ALL_ENDPOINTS

TEXT = PAGE.read_text("utf-8")
EXCHANGES = read_exchanges(TEXT)


@pytest.fixture(scope="module")
def service():
    return make_shipped_service()


@pytest.mark.parametrize(("line", "expected"), EXCHANGES, ids=lambda value: str(value)[:60])
def test_each_request_of_the_page_gets_its_answer(line, expected, service):
    if "kept" in line:
        (searched,) = [each for each, _ in EXCHANGES if "/plays" in each and '"plies":2' in each]
        send(searched, TEXT, service)
    difference = find_difference(expected, send(line, TEXT, service))
    assert difference is None, f"{difference}; see tests.protocol.curl_lines"


def test_the_page_has_a_request_for_each_endpoint():
    paths = [endpoint.path for endpoint in ENDPOINTS]
    without = {f"/nodots/v1/{name}" for name in ("health", "double", "take", "resign")}
    lines = "".join(line for line, _ in EXCHANGES)
    missing = [path for path in paths if path not in lines and path not in without]
    assert missing == [], "each takes a request '$ curl ...' with its answer in docs/reference/http.md"


def list_cells(line):
    return [cell.strip() for cell in line.split("|")[1:-1]]


def list_names(cell):
    return set(re.findall(r"`(\w+)`", cell))


def test_the_tables_have_the_fields_of_the_rows_with_defaults_and_meanings():
    rows = {endpoint.path: endpoint for endpoint in ENDPOINTS}
    lines = [line for line in TEXT.splitlines() if line.startswith("| `")]
    named = {list_cells(line)[0].strip("`"): list_names(list_cells(line)[-1]) for line in lines}
    evaluate = named[f"POST {API}/evaluate"]
    assert evaluate == set(rows[f"{API}/evaluate"].fields)
    assert evaluate | named[f"POST {API}/plays"] == set(rows[f"{API}/plays"].fields)
    assert evaluate - {"cubeful"} == set(rows[f"{API}/cube"].fields)
    assert named[f"POST {API}/rollout"] == set(rows[f"{API}/rollout"].fields)
    assert named[f"GET {API}/kept"] == set(rows[f"{API}/kept"].parameters)

    table = TEXT.partition("| field of `analyse` |")[2].partition("\n\n")[0]
    analyse, told = rows[f"{API}/analyse"].fields, {"match_text"}
    for name, default, meaning in map(list_cells, table.splitlines()[2:]):
        told |= list_names(name)
        if default:
            field = analyse[name.strip("`")]
            assert default.strip("`") == field.default_text
            assert meaning == field.meaning or field == REPORT
    assert told == set(analyse)


def test_the_page_of_the_archive_has_each_endpoint_of_games_and_accounts_with_what_it_takes():
    text = PAGE.with_name("archive.md").read_text("utf-8")
    own = [each for each in ALL_ENDPOINTS if each.operation.tag in ("games", "accounts")]
    assert len(own) == 11
    for endpoint in own:
        path = endpoint.path.format(file="12.json", id="12", name="NAME")
        assert f"`{endpoint.method} {path}`" in text
        for name in (*endpoint.parameters, *(endpoint.fields or ())):
            assert any(form in text for form in (f"`{name}`", f'"{name}":')), name


def test_the_page_names_fields_statuses_and_caps():
    for endpoint in ENDPOINTS:
        for name in (*endpoint.parameters, *(endpoint.fields or ())):
            assert f"`{name}`" in TEXT
    for name in TARGET.choices:
        assert f"`{name}`" in TEXT
    statuses = {find_status(ValueError()), *(400, 404, 405, 413, 415, 422, 429, 503)}
    table = TEXT.partition("| status | when |")[2]
    assert all(str(status) in table for status in statuses)
    assert f"{MAX_BODY_BYTES // 1024} KiB" in table
    assert f"{MAX_MATCH_BYTES / 1e6:g} MB" in table
