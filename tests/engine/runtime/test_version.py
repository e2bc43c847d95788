"""What the program is made of: the modules that a module imports, and hashes of them all."""

import ast

import pytest

from gammond.engine.runtime import version


def list_imports(module):
    """List the modules of this program that a module imports, by its syntax tree: the twin of a pattern."""
    found = set()
    for node in ast.walk(ast.parse(version._find_source(module).read_bytes())):
        if isinstance(node, ast.Import):
            found.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert not node.level
            found.add(node.module)
            found.update(f"{node.module}.{alias.name}" for alias in node.names)
    found.update(
        name.rsplit(".", count)[0] for name in list(found) for count in range(1, name.count(".") + 1)
    )
    return {name for name in found - {version.NAME} if version._find_source(name)}


@pytest.mark.slow
def test_the_imports_of_every_module_are_those_of_its_syntax_tree():
    roots = [version.ROOT / name for name in ("engine", "nets", "protocol", "tools")]
    files = [file.relative_to(version.ROOT) for root in roots for file in root.rglob("*.py")]
    modules = [".".join(("gammond", *file.with_suffix("").parts)).removesuffix(".__init__") for file in files]
    assert len(modules) > 500
    for module in modules:
        found, imported = version._read_module(module)[1], list_imports(module)
        more = found - imported
        assert more <= {module.rsplit(".", count)[0] for count in range(1, 6)}  # the packages that it is in
        assert found >= imported, module


@pytest.mark.parametrize(
    "source",
    [
        "from gammond.engine.rules import position",
        "from gammond.engine.rules import (\n    dice,  # (no die of the cube)\n    position as where,\n)",
        "from gammond.engine.rules import dice, \\\n    position",
        "if True:\n    import gammond.engine.rules.dice, gammond.engine.rules.position as where",
        "import gammond.engine.rules.position; from os import path",
    ],
)
def test_all_ways_to_import_a_module_are_seen(source, tmp_path, monkeypatch):
    file = tmp_path / "own.py"
    file.write_text(source)
    find = version._find_source
    monkeypatch.setattr(version, "_find_source", lambda name: file if name == "own" else find(name))
    version._read_module.cache_clear()
    found = version._read_module("own")[1]
    assert {"gammond.engine", "gammond.engine.rules", "gammond.engine.rules.position"} <= found
    version._read_module.cache_clear()
