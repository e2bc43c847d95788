"""`gammond completion`: what a shell offers after a few letters."""

import subprocess

import pytest

from gammond.tools import cli

_COMPLETE = """
source {script}
COMP_WORDS=({words}); COMP_CWORD=$(({count} - 1)); COMP_LINE="{words}"; COMP_POINT=${{#COMP_LINE}}
_shtab_gammond gammond "${{COMP_WORDS[COMP_CWORD]}}" "${{COMP_WORDS[COMP_CWORD - 1]}}"
echo "${{COMPREPLY[*]}}"
"""


@pytest.fixture(scope="module")
def script(tmp_path_factory):
    file = tmp_path_factory.mktemp("completion") / "gammond.bash"
    with pytest.MonkeyPatch.context() as patch, file.open("w") as stream:
        patch.setattr("sys.stdout", stream)
        assert cli.main(["completion", "bash"]) == 0
    return file


@pytest.mark.parametrize(
    ("line", "offered"),
    [
        ("gammond h", "hint hypergammon heritage help"),
        ("gammond hint --p", "--plies --player --plays"),
        ("gammond hint --filter n", "narrow normal"),
        ("gammond measure l", "levels"),
        ("gammond measure levels --ref", "--reference-plies --reference-filter"),
        ("gammond help mat", "matrix"),
        ("gammond bearoff make --o", "--output"),
    ],
)
def test_bash_completes_tools_options_and_values(line, offered, script):
    text = _COMPLETE.format(script=script, words=line, count=len(line.split()))
    ended = subprocess.run(["bash", "-c", text], capture_output=True, text=True, timeout=60, check=True)
    assert ended.stdout.split() == offered.split()


def test_bash_completes_files(script, tmp_path):
    (tmp_path / "positions.txt").touch()
    text = _COMPLETE.format(script=script, words="gammond batch pos", count=3)
    ended = subprocess.run(
        ["bash", "-c", text], capture_output=True, text=True, timeout=60, check=True, cwd=tmp_path
    )
    assert ended.stdout.split() == ["positions.txt"]
