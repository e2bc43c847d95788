"""The files of the page as they are served."""

import posixpath
import re
from pathlib import Path

import pytest
import tree_sitter_javascript
from tree_sitter import Language, Parser

from gammond.engine.rollout.stop_rules import ALL_PLAYED, CANCELLED, STOP_RULES
from gammond.protocol.transports.web.page import read_page

SOURCES = Path(__file__).parents[4] / "protocol" / "web" / "page"
MAIN = (SOURCES / "js/main.js").read_text("utf-8")
VIEWS = [f"js/{name}" for name in re.findall(r'load: \(\) => import\("\./([^"]+)"\)', MAIN)]
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


def list_imports(page, path, *, is_lazy):
    """Return the scripts that a script imports, in turn too, and those that it imports when it needs them."""
    pattern = re.compile(rb'(?:from|import)\s*"([^"]+)"' + (rb'|import\("([^"]+)"\)' if is_lazy else b""))
    found, rest = set(), [path]
    while rest:
        script = rest.pop()
        if script not in found:
            found.add(script)
            folder = posixpath.dirname(script)
            for names in pattern.findall(page[script].data):
                name = names if isinstance(names, bytes) else names[0] or names[1]
                rest.append(posixpath.normpath(posixpath.join(folder, name.decode())))
    return found


def test_the_views_are_found():
    assert len(VIEWS) == MAIN.count("import(") >= 5


def test_the_page_has_scripts_styles_and_a_picture_alone(page):
    assert {path.partition("/")[0] for path in page} == {"index.html", "icon.svg", "css", "js"}


@pytest.mark.parametrize("view", VIEWS)
def test_a_visit_of_a_view_takes_at_most_250_kilobytes(page, view):
    still = {path for path in page if not path.endswith(".js")}
    scripts = list_imports(page, "js/main.js", is_lazy=False) | list_imports(page, view, is_lazy=True)
    assert "js/text.js" in scripts
    sizes = {path: len(page[path].data) for path in still | scripts}
    assert sum(sizes.values()) <= 250_000, sizes


def test_the_page_has_words_for_each_reason_that_ends_its_rollouts():
    """It sets no limits, so rules without a default never end them."""
    source = (SOURCES / "js/text.js").read_text("utf-8")
    (words,) = re.findall(r"reasons: \{(.*?)\}", source)
    able = {rule.reason for rule in STOP_RULES.values() if rule.field.default}
    assert set(re.findall(r"(\w+):", words)) == {ALL_PLAYED, *able, CANCELLED}


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
    assert {path for path in page if path.endswith(".css")} <= names <= set(page)


def test_sources_are_served_as_they_are_written(page):
    written = read_page(as_written=True)
    assert written.keys() == page.keys()
    assert all(file.data == (SOURCES / path).read_bytes() for path, file in written.items())
