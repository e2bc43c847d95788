"""The files of the page as they are served."""

from pathlib import Path

import pytest
import tree_sitter_javascript
from tree_sitter import Language, Parser

from protocol.transports.web.page_files import read_page

SOURCES = Path(__file__).parents[4] / "protocol" / "web" / "page"
PARSER = Parser(Language(tree_sitter_javascript.language()))


@pytest.fixture(scope="module")
def page():
    return read_page()


def parse(script):
    """Return the tree of a script: kinds of nodes with the text of leaves, without comments."""
    root = PARSER.parse(script).root_node
    assert not root.has_error
    found, rest = [], [root]
    while rest:
        node = rest.pop()
        inner = [] if node.type == "regex" else node.children
        children = [each for each in inner if each.type not in ("comment", ";")]
        found.append((node.type, len(children) if inner else node.text))
        rest += reversed(children)
    return found


def test_the_whole_page_takes_at_most_280_kilobytes(page):
    sizes = {path: len(file.data) for path, file in page.items()}
    assert {path.partition("/")[0] for path in sizes} == {"index.html", "icon.svg", "css", "js"}
    assert sum(sizes.values()) <= 280_000, sizes


def test_scripts_are_served_shorter_and_read_as_they_are_written(page):
    """Template literals in one another and regular expressions are what the minifier could take for code."""
    scripts = [path for path in page if path.endswith(".js")]
    assert len(scripts) > 50
    for path in scripts:
        source = (SOURCES / path).read_bytes()
        assert len(page[path].data) < len(source)
        assert parse(page[path].data) == parse(source), path


def test_styles_are_served_shorter(page):
    styles = [path for path in page if path.endswith(".css")]
    assert styles
    for path in styles:
        assert 0 < len(page[path].data) < (SOURCES / path).stat().st_size
        assert b"/*" not in page[path].data


def test_all_that_the_index_names_is_served(page):
    names = {part.split(b'"')[0].decode() for part in page["index.html"].data.split(b'"/page/')[1:]}
    assert names
    assert names <= set(page)


def test_sources_are_served_as_they_are_written(page):
    written = read_page(as_written=True)
    assert written.keys() == page.keys()
    assert all(file.data == (SOURCES / path).read_bytes() for path, file in written.items())
