"""The weight of the source by room."""

from __future__ import annotations

from tests import house

FILES = {
    "engine/__init__.py": "",
    "engine/rules/dice.py": "class Dice:\n    def roll(self):\n        pass\n",
    "engine/chess/board.py": "x = 1\n",
    "protocol/chess/entry.py": "",
    "protocol/web/page/js/main.js": "a\nb\n",
    "docs/reference/glossary.md": "| word | meaning |\n|---|---|\n| point | a place |\n",
    "README.md": "two words\n",
    "pyproject.toml": "[[tool.importlinter.contracts]]\nname = 'one'\n",
}


def test_rooms_are_weighed_by_lines_files_modules_classes_and_functions():
    rows = dict(house.sum_up(house.weigh(FILES)))
    assert [rows["engine/rules"][name] for name in house.COUNTS] == [3, 1, 1, 1, 1]
    assert [rows["ENGINE"][name] for name in ("files", "modules")] == [3, 2]
    assert rows["SOURCE"]["lines"] == 4
    assert rows["WITHOUT WINGS"]["lines"] == 3
    assert rows["page (js)"]["lines"] == 2


def test_what_is_no_source_is_counted_too():
    rest = house.weigh_rest(FILES)
    assert rest["import contracts"] == 1
    assert rest["glossary rows"] == 1


def test_numbers_show_how_they_changed():
    before = {name: text for name, text in FILES.items() if name != "engine/chess/board.py"}
    table = house.format_table(FILES, before)
    assert "1 (+1)" in next(line for line in table.splitlines() if line.startswith("engine/chess"))
