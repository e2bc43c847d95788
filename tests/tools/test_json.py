"""Every `--json`: one value in one line, with the numbers of the text."""

import json
import re

import pytest

from gammond.engine.store.store import AnalysisStore
from gammond.nets.catalogue import identify_engine
from gammond.tools import cli
from tests.engine.store.samples import make_entry, make_question
from tests.tools.test_all_commands import ACTIONS

XGID = "XGID=-b----E-C---eE---c-e----B-:0:0:1:31:2:1:0:5:10"

ANSWERS = {
    "eval": f"{XGID} --plies 1",
    "hint": XGID,
    "cube": XGID,
    "matrix": f"{XGID} --away 3",
    "rollout": f"{XGID} --trials 36 --truncate 2 --threads 1",
    "board": XGID,
    "convert": XGID,
    "players": "",
    "nets": "",
    "doctor": "",
    "store status": "--file STORE",
    "tournament": "pubeval random --games 40",
    "perft": "barca 2",
    "measure levels": "casual --decisions 8 --reference-plies 0",
    "measure pruning": "--decisions 4",
    "measure alphabeta": "--plies 2 --positions 3",
    "measure frontier": "pubeval fast --decisions 40 --reference fast --net fast",
}
"""Command -> words with which it answers soon; STORE is a file of kept analyses."""

ELSEWHERE = {
    *("bench", "measure cutoffs", "measure matches", "measure agreement"),
    *("train class-shares", "train peer-games", "train validate", "train validate-cube"),
    "train cube-efficiencies",
}
"""Commands that need a cluster, files of matches or sets, or time: their own tests look at their JSON."""

OWN_OF_TEXT = {"hint": 4, "cube": 2, "tournament": 2, "perft": 4, "measure alphabeta": 4}
"""How many numbers of the text at most are differences from the best, bounds, or times, and no others."""

SCALES = [(1, 0), (100, 0), (-1, 1), (-100, 100), (1000, 0), (500, 0)]
"""Factor and summand from a number of the JSON to one of the text: percent, the chance of the other side."""


def test_every_command_with_json_is_asked_for_it():
    commands = {command for command, action in ACTIONS if "--json" in action.option_strings}
    assert commands == ANSWERS.keys() | ELSEWHERE, "each has a row in ANSWERS, or a place in ELSEWHERE"


def list_numbers(value):
    """All numbers in a value of JSON, and those in its texts."""
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, list):
        return [number for each in value for number in list_numbers(each)]
    if isinstance(value, str):
        return [float(number) for number in re.findall(r"\d+\.\d+", value)]
    return [float(value)] if isinstance(value, (int, float)) else []


def refuse(text):
    raise AssertionError(f"{text} is no JSON")


@pytest.mark.parametrize("command", ANSWERS)
def test_json_is_one_line_with_the_numbers_of_the_text(command, tmp_path, capsys):
    with AnalysisStore(tmp_path / "store") as store:
        store.keep(make_question(), identify_engine(), make_entry(1))
    words = [*command.split(), *ANSWERS[command].replace("STORE", str(tmp_path / "store")).split()]
    assert cli.main(words) == 0
    text = capsys.readouterr().out
    assert cli.main([*words, "--json"]) == 0
    (line,) = capsys.readouterr().out.splitlines()
    numbers = list_numbers(json.loads(line, parse_constant=refuse))
    known = [abs(factor * each + summand) for each in numbers for factor, summand in SCALES]
    missing = []
    for shown in re.findall(r"(?<![\w.])\d[\d,]*\.\d+(?!\d| (?:s|ms|MB|kB)\b)", text):
        half_a_digit = 0.51 * 10.0 ** -len(shown.partition(".")[2])
        if all(abs(number - float(shown.replace(",", ""))) > half_a_digit for number in known):
            missing.append(shown)
    assert len(missing) <= OWN_OF_TEXT.get(command, 0), missing
