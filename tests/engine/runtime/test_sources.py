"""What the program is made of: the modules that a module imports, and hashes of them all."""

from __future__ import annotations

import ast

import pytest

from engine.runtime import sources


def list_imports(module):
    """List the modules of this program that a module imports, by its syntax tree: the twin of a pattern."""
    found = set()
    for node in ast.walk(ast.parse(sources._find_source(module).read_bytes())):
        if isinstance(node, ast.Import):
            found.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert not node.level
            found.add(node.module)
            found.update(f"{node.module}.{alias.name}" for alias in node.names)
    found.update(
        name.rsplit(".", count)[0] for name in list(found) for count in range(1, name.count(".") + 1)
    )
    return {name for name in found if sources._find_source(name)}


def test_the_imports_of_every_module_are_those_of_its_syntax_tree():
    roots = [sources.ROOT / name for name in ("engine", "nets", "protocol", "tools")]
    files = [file.relative_to(sources.ROOT) for root in roots for file in root.rglob("*.py")]
    modules = [".".join(file.with_suffix("").parts).removesuffix(".__init__") for file in files]
    assert len(modules) > 500
    for module in modules:
        found, imported = sources._read_imports(module), list_imports(module)
        more = found - imported
        assert more <= {module.rsplit(".", count)[0] for count in range(1, 6)}  # the packages that it is in
        assert found >= imported, module


@pytest.mark.parametrize(
    "source",
    [
        "from engine.rules import position",
        "from engine.rules import (\n    dice,  # (the cube's die is none)\n    position as where,\n)",
        "from engine.rules import dice, \\\n    position",
        "if True:\n    import engine.rules.dice, engine.rules.position as where",
        "import engine.rules.position; from os import path",
    ],
)
def test_all_ways_to_import_a_module_are_seen(source, tmp_path, monkeypatch):
    file = tmp_path / "own.py"
    file.write_text(source)
    find = sources._find_source
    monkeypatch.setattr(sources, "_find_source", lambda name: file if name == "own" else find(name))
    monkeypatch.setattr(sources, "_read_source", lambda _: source.encode())
    sources._read_imports.cache_clear()
    assert {"engine", "engine.rules", "engine.rules.position"} <= sources._read_imports("own")
    sources._read_imports.cache_clear()
