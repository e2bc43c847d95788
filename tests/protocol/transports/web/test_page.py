"""The page over HTTP: what browsers ask for again, and what they keep."""

from __future__ import annotations

import asyncio
import re

import pytest
from starlette.exceptions import HTTPException
from starlette.requests import Request

from gammond.protocol.transports.web.page import Page, PageFile

INDEX = b'<link href="/page/css/base.css"><script src="/page/js/main.js"></script>'


def make_page(script=b"main()"):
    return Page(
        {
            "index.html": PageFile(INDEX, "text/html"),
            "css/base.css": PageFile(b"p {}", "text/css"),
            "js/main.js": PageFile(script, "text/javascript"),
        }
    )


def ask(answer, path="", etag=""):
    headers = [(b"if-none-match", etag.encode())] if etag else []
    return asyncio.run(answer(Request({"type": "http", "headers": headers, "path_params": {"path": path}})))


def list_named(page):
    return [name.decode() for name in re.findall(rb'"/page/([^"]+)"', ask(page.answer_index).body)]


def test_the_index_is_asked_for_on_each_visit_and_browsers_keep_the_files_that_it_names():
    page = make_page()
    assert ask(page.answer_index).headers["cache-control"] == "no-cache"
    style, script = list_named(page)
    for path, data in ((style, b"p {}"), (script, b"main()")):
        answer = ask(page.answer_file, path)
        assert (answer.status_code, answer.body) == (200, data)
        assert answer.headers["cache-control"] == "max-age=31536000, immutable"


def test_a_file_that_changes_changes_the_index_and_the_paths_of_all_files():
    old, new = make_page(), make_page(b"other()")
    assert not set(list_named(old)) & set(list_named(new))
    assert ask(old.answer_index).headers["etag"] != ask(new.answer_index).headers["etag"]
    assert list_named(make_page()) == list_named(old)


def test_a_page_of_before_gets_the_files_that_there_are_and_does_not_keep_them():
    _, script = list_named(make_page())
    for path in (script, "js/main.js"):
        answer = ask(make_page(b"other()").answer_file, path)
        assert answer.body == b"other()"
        assert answer.headers["cache-control"] == "no-cache"
        again = ask(make_page(b"other()").answer_file, path, answer.headers["etag"])
        assert (again.status_code, again.body) == (304, b"")


@pytest.mark.parametrize(
    "path", ["@/js/main.js", "@0123456789abcdef", "@0123456789abcdef/../js/main.js", "js"]
)
def test_what_is_no_file_of_the_page_is_not_found(path):
    with pytest.raises(HTTPException) as refused:
        ask(make_page().answer_file, path)
    assert refused.value.status_code == 404
