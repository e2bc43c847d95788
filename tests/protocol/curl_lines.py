"""The requests of the page on HTTP (blocks that begin with ``$ curl``), answered with the shipped nets.

``python -m tests.protocol.curl_lines --rewrite`` writes what the endpoints answer now into the page.
"""

from __future__ import annotations

import argparse
import re
import shlex
import sys
from urllib.parse import parse_qsl, urlsplit

from tests.protocol.transcripts import ROOT, make_shipped_service, rewrite_answer
from tests.protocol.web_asking import ask

PAGE = ROOT / "docs" / "reference" / "http.md"
ORIGIN = "http://127.0.0.1:8080"

_BLOCK = re.compile(r"(?<=```console\n)\$ curl .*?(?=```)", re.DOTALL)
_FILE = re.compile(r"```text title=\"(.+?)\"\n(.*?)```", re.DOTALL)
_FORM = "application/x-www-form-urlencoded"


def read_exchanges(text):
    """Return the requests of a page, each with the lines of its answer."""
    found = []
    for block in _BLOCK.findall(text):
        request = None
        for line in block.splitlines():
            if line.startswith("$ ") or (request is not None and request[0].endswith("\\")):
                if line.startswith("$ "):
                    request = [line[2:], []]
                    found.append(request)
                else:
                    request[0] += f"\n{line}"
            else:
                request[1].append(line)
    return found


def send(line, text, service):
    """Return the lines of the answer to a command line of curl; files are those of the page."""
    words = iter(shlex.split(line.replace("\\\n", " "))[1:])
    body, media_type, address = None, "", ""
    for word in words:
        if word in ("-H", "-d", "--data-binary"):
            value = next(words)
            if word == "-H":
                name, _, media_type = value.partition(": ")
                assert name == "Content-Type"
            else:
                body = value.encode()
        elif not word.startswith("-"):
            address = word
    assert address.startswith(ORIGIN)
    parts = urlsplit(address.removeprefix(ORIGIN))
    if body is not None and body.startswith(b"@"):
        body = dict(_FILE.findall(text))[body[1:].decode()].encode()
    media_type = media_type or (_FORM if body is not None else "")
    query = parse_qsl(parts.query, strict_parsing=bool(parts.query))
    answer = ask(parts.path, body, media_type=media_type, query=query, service=service)
    return answer.body.decode().splitlines()


def rewrite(text):
    """Return the page with what the endpoints answer now."""
    service = make_shipped_service()
    for line, expected in read_exchanges(text):
        before = "\n".join([f"$ {line}", *expected])
        after = "\n".join([f"$ {line}", *rewrite_answer(expected, send(line, text, service))])
        assert before in text
        text = text.replace(before, after)
    return text


def main():
    """Rewrite the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rewrite", action="store_true", required=True)
    parser.parse_args()
    before = PAGE.read_text("utf-8")
    after = rewrite(before)
    PAGE.write_text(after, "utf-8")
    if before != after:
        sys.stdout.write(f"{PAGE.relative_to(ROOT)} rewritten\n")


if __name__ == "__main__":
    main()
