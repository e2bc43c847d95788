"""The pages of docs/: navigation, links, files that they name, nouns that the glossary needs."""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
PAGES = sorted(DOCS.rglob("*.md"))
PACKAGES = ("engine", "nets", "protocol", "tools", "gammond")


def class_names(package: str) -> set[str]:
    """The public classes of a package."""
    texts = [file.read_text("utf-8") for file in (ROOT / package).rglob("*.py")]
    names = [name for text in texts if "class " in text for name in find_classes(ast.parse(text))]
    return {name for name in names if not name.startswith("_")}


def find_classes(block) -> Iterator[str]:
    """The classes of a module or statement; expressions, which are most of a tree, have none."""
    for statement in getattr(block, "body", ()):
        if isinstance(statement, ast.ClassDef):
            yield statement.name
        yield from find_classes(statement)


def head_noun(name: str) -> str:
    """The last word of a class name, in the singular."""
    word = re.findall(r"[A-Z]+(?![a-z])|[A-Z][a-z]+|[0-9]+", name)[-1].lower()
    return word[:-1] if word.endswith("s") and not word.endswith("ss") else word


def shared_nouns() -> set[str]:
    """The nouns that name classes in two of the top-level packages."""
    packages = defaultdict(set)
    for package in PACKAGES:
        for name in class_names(package):
            packages[head_noun(name)].add(package)
    return {noun for noun, users in packages.items() if len(users) > 1}


def glossary_words() -> set[str]:
    """The words that have a row in the glossary, in the singular where they are one word."""
    text = (DOCS / "reference" / "glossary.md").read_text("utf-8")
    cells = re.findall(r"^\| ([^|]+) \|", text, re.MULTILINE)
    words = {word.strip() for cell in cells for word in cell.split(",")}
    return words | {word[:-1] for word in words if word.endswith("s") and not word.endswith("ss")}


def test_a_noun_that_names_classes_in_two_packages_has_a_row_in_the_glossary():
    nouns = shared_nouns()
    assert {"evaluation", "player", "position"} <= nouns
    assert sorted(nouns - glossary_words()) == []


def test_head_nouns_are_singular():
    assert [head_noun(name) for name in ("RankedPlays", "RunProgress", "GnubgID")] == [
        "play",
        "progress",
        "id",
    ]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(DOCS).as_posix())
def test_the_navigation_reaches_each_page(page):
    nav = (ROOT / "mkdocs.yml").read_text("utf-8").split("\nnav:\n")[1]
    assert re.search(rf"[: ]{re.escape(page.relative_to(DOCS).as_posix())}$", nav, re.MULTILINE)


@pytest.mark.parametrize(
    "page",
    [*PAGES, *(ROOT / name for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md"))],
    ids=lambda page: page.relative_to(ROOT).as_posix(),
)
def test_links_lead_to_files(page):
    targets = re.findall(r"\]\(([^)\s#]+)", page.read_text("utf-8"))
    assert [link for link in targets if "://" not in link and not (page.parent / link).exists()] == []


@pytest.mark.parametrize(
    "page",
    [*PAGES, *(ROOT / name for name in ("README.md", "CONTRIBUTING.md"))],
    ids=lambda page: page.relative_to(ROOT).as_posix(),
)
def test_named_files_of_the_source_exist(page):
    folders = "|".join((*PACKAGES, "tests", "examples", "docs"))
    named = re.findall(rf"`((?:{folders})/[\w./-]*)`", page.read_text("utf-8"))
    in_wheels_only = {"gammond/_packages"}
    assert [name for name in named if not (ROOT / name).exists() and name not in in_wheels_only] == []


def test_the_map_of_the_source_has_a_line_for_each_room():
    text = (DOCS / "architecture.md").read_text("utf-8")
    sections = {part.partition("/`")[0]: part for part in text.split("\n### `")[1:]}
    rooms = [file.parent.relative_to(ROOT) for file in ROOT.glob("[a-z]*/[a-z]*/__init__.py")]
    assert Path("engine/rules") in rooms
    assert [room for room in rooms if f"`{room.name}/" not in sections[room.parts[0]]] == []
