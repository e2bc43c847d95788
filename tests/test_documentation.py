"""The pages of docs/: navigation, links, files that they name; names of classes."""

from __future__ import annotations

import ast
import importlib.util
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.figures import (
    FIGURES,
    MACHINES,
    README,
    find_commands,
    find_stated,
    find_table,
    find_unmeasured,
    is_figure,
    make_table,
)

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
PAGES = sorted(DOCS.rglob("*.md"))
PACKAGES = ("engine", "nets", "protocol", "tools", "gammond")


def class_names(package: str) -> list[str]:
    """The public classes of a package, each as often as it is defined."""
    texts = [file.read_text("utf-8") for file in (ROOT / package).rglob("*.py")]
    names = [name for text in texts if "class " in text for name in find_classes(ast.parse(text))]
    return [name for name in names if not name.startswith("_")]


def find_classes(block) -> Iterator[str]:
    """The classes of a module or statement; expressions, which are most of a tree, have none."""
    for statement in getattr(block, "body", ()):
        if isinstance(statement, ast.ClassDef):
            yield statement.name
        yield from find_classes(statement)


def test_no_two_public_classes_of_the_packages_have_one_name():
    """Those of ``gammond`` are the public forms of the engine's, so they may have the engine's names."""
    counts = Counter(name for package in PACKAGES[:-1] for name in class_names(package))
    assert [name for name, count in counts.items() if count > 1] == []


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
    assert [name for name in named if not (ROOT / name).exists()] == []


def test_the_map_of_the_source_has_a_line_for_each_room():
    text = (DOCS / "architecture.md").read_text("utf-8")
    sections = {part.partition("/`")[0]: part for part in text.split("\n### `")[1:]}
    rooms = [file.parent.relative_to(ROOT) for file in ROOT.glob("[a-z]*/[a-z]*/__init__.py")]
    assert Path("engine/rules") in rooms
    missing = [str(room) for room in rooms if f"`{room.name}/" not in sections[room.parts[0]]]
    assert missing == [], "the table of rooms in docs/architecture.md has no line for them"


def test_the_table_of_figures_in_readme_is_that_of_the_file():
    assert find_table(README.read_text("utf-8")) == make_table(), "python -m tests.figures --rewrite"


@pytest.mark.parametrize("figure", FIGURES, ids=lambda figure: figure["what"])
def test_each_figure_stands_on_its_page_with_its_error(figure):
    text = (DOCS / figure["page"]).read_text("utf-8")
    shown = [f"{abs(figure[key]):,}" for key in ("value", "error", "gnubg") if key in figure]
    assert [each for each in shown if each.removeprefix("0") not in text] == []
    assert figure.get("machine", "zen4") in MACHINES
    words = figure["command"].split()
    if words[0] in ("gammond", "time"):
        named = re.findall(r"(?:time )?gammond [^`\n]*", text)
        assert any(set(words) <= set(command.split()) for command in named)


@pytest.mark.parametrize("page", [README, *PAGES], ids=lambda page: page.relative_to(ROOT).as_posix())
def test_strengths_speeds_and_sizes_have_their_command_beside_them_or_are_in_the_file_of_figures(page):
    """README and the guide state those of the file; the page of levels has results of its own."""
    is_of_the_file = page == README or (page.parent.name == "guide" and page.name != "levels.md")
    stated = (find_stated if is_of_the_file else find_unmeasured)(page.read_text("utf-8"))
    assert [words for words, *number in stated if not is_figure(*number)] == []


def test_no_two_pages_measure_the_same():
    commands = [command for page in PAGES for command in set(find_commands(page.read_text("utf-8")))]
    counts = Counter(command for command in commands if len(command.split()) > 4)
    assert [command for command, count in counts.items() if count > 1] == []


def test_a_figure_is_found_rounded_and_in_any_of_its_forms():
    page = "It beats gnubg by 0.039 ppg (+0.0387 ± 0.0039),\n1.3 million positions a second, takes 5 s.\n"
    assert [is_figure(*number) for _, *number in find_stated(page + "It is some 10 MB.")] == [True] * 5
    assert not any(is_figure(*number) for _, *number in find_stated("0.037 ppg, 1.4 million positions/s"))
    assert list(find_stated("```\n0.037 ppg\n```\n    0.037 ppg\n")) == []


def test_a_figure_is_measured_where_its_chapter_or_the_chapter_run_it_has_a_command():
    bare, measured = "## One\n0.037 ppg\n", "## Two\n    gammond tournament a b\n\n0.038 ppg, p99 9 ms\n"
    assert [words for words, *_ in find_unmeasured(bare + measured)] == ["0.037 ppg"]
    assert list(find_unmeasured(f"{bare}## Run it\n    time gammond bench\n")) == []
    assert len(list(find_unmeasured(f"{bare}`gammond hint` takes 7 ms, 5 % slower.\n"))) == 3


def test_the_site_makes_each_part_that_a_page_asks_for():
    spec = importlib.util.spec_from_file_location("page_parts", DOCS / "hooks" / "page_parts.py")
    parts = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(parts)
    asked = [line for page in PAGES for line in parts.LINE.findall(page.read_text("utf-8"))]
    unused = parts.PARTS.keys() - {part for part, _ in asked}
    assert not unused, "no page has a line `::: PART NAME`; the commands of a game stand in docs/reference"
    for part, name in asked:
        made = parts.on_page_markdown(f"::: {part} {name}\n")
        assert "| --- |" in made or "```text" in made
    assert "| `game.cube` | int | `1..4096` | `1` | " in parts.PARTS["settings"]("backgammon")
    assert parts.make_table(["key"], [["a|b `c|d`"]]).endswith("| a\\|b `c|d` |")
