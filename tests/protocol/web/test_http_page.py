from __future__ import annotations

import pytest

from protocol.web.answers import find_status
from protocol.web.endpoints import ENDPOINTS, MAX_BODY_BYTES, MAX_MATCH_BYTES
from protocol.web.matches import ANALYSIS_FIELDS, TARGETS
from tests.protocol.curl_lines import PAGE, read_exchanges, send
from tests.protocol.transcripts import find_difference, make_shipped_service

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
    missing = [path for path in paths if path not in "".join(line for line, _ in EXCHANGES)]
    assert missing == [
        "/api/v1/openapi.yaml",
        "/nodots/v1/health",
        "/nodots/v1/double",
        "/nodots/v1/take",
        "/nodots/v1/resign",
    ]
    assert all(path in TEXT for path in paths if not path.startswith("/nodots"))


def test_the_page_names_fields_statuses_and_caps():
    for name in (*ANALYSIS_FIELDS, *TARGETS):
        assert f"`{name}`" in TEXT
    statuses = {find_status(ValueError()), *(400, 404, 405, 413, 415, 422, 429, 503)}
    table = TEXT.partition("| status | when |")[2]
    assert all(str(status) in table for status in statuses)
    assert f"{MAX_BODY_BYTES // 1024} KiB" in table
    assert f"{MAX_MATCH_BYTES / 1e6:g} MB" in table
