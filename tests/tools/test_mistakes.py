"""Mistakes in the words of any command: one line that says what was expected, exit status 2, no answer."""

import shlex

import pytest

from gammond.engine.formats.position_id import encode_position_id
from gammond.engine.formats.position_text import LIST_OF_FORMATS
from gammond.engine.store.store import AnalysisStore
from gammond.tools import cli
from gammond.tools.batch.evaluation import ID_FORMS
from tests.engine.match_files.played_games import MAT_MATCH as MATCH
from tests.support.boards import position

XGID = "XGID=-b----E-C---eE---c-e----B-:0:0:1:31:2:1:0:5:10"
BARCA = "4ee4/4mml3/10/10/5l4/4M5/10/10/3L1ML3/4EE4 w"
NAMES = {
    "x": XGID,
    "bare": XGID.replace("-b", "b"),
    "doubled": XGID.replace(":31:", ":D:"),
    "over": encode_position_id(position({}, {20: 2, 22: 3})),
    "start": "4HPwATDgc/ABMA",
    "barca": f"{BARCA} --variant barca",
}
"""What stands for a long word below."""

FILES = {
    "in.txt": f"{NAMES['start']}\n",
    "two.txt": f"{XGID}\n{XGID}\n",
    "match.mat": MATCH,
    "two.mat": MATCH + MATCH.replace("michy", "ann"),
}
"""The files of the folder in which the commands run."""

MISTAKES = [
    ("hnt {x}", "unknown tool 'hnt': did you mean 'hint'? (gammond --help)"),
    ("help hnt", "unknown tool 'hnt': did you mean 'hint'? (gammond --help)"),
    ("analyze", "unknown tool 'analyze': did you mean 'analyse'? (gammond --help)"),
    ("EVAL", "unknown tool 'EVAL': did you mean 'eval'? (gammond --help)"),
    ("play", "no tool 'play': 'gammond' alone opens the terminal, "),
    ("PLAY", "no tool 'PLAY': 'gammond' alone opens the terminal, "),
    ("--hlp", "expected a tool, or --help or --version, got '--hlp' (gammond --help)"),
    ("{start}", "expected a tool before the position: gammond hint {start}"),
    ("hint", "expected POSITION"),
    ("hint {x} --pleis 2", "no option '--pleis' (did you mean '--plies'?)"),
    ("eval {x} --plies 9", "--plies: expected 0 to 4, got 9"),
    ("eval {x} --plies two", "--plies: expected a whole number, got 'two'"),
    ("eval {x} --threads 0", "--threads: expected a whole number 1..256, got 0"),
    ("eval {x} --net slow", "expected an evaluator"),
    ("hint {x} --pleis=2", "no option '--pleis' (did you mean '--plies'?)"),
    ("hint {x} --xyz", "no option '--xyz'"),
    ("hint {x} --filter narow", "got 'narow' (did you mean 'narrow'?)"),
    ("hint {x} --plies", "--plies: expected one argument"),
    ("eval nonsense", f"expected a position (a GNUbg ID, a position ID, {LIST_OF_FORMATS}, or checkers"),
    ("eval {bare}", "XGID field 1 (position) has 26 characters"),
    ("eval 4HPwATDgc/ABM", "a position ID has 14 characters"),
    ("eval hello", "expected a position"),
    ("eval ./no", "no such file"),
    ("eval /no/such/file", "no such file"),
    ("eval no.txt", "no such file"),
    ("eval '~/no.xg'", "no such file"),
    ("eval 'C:\\no.sgf'", "no such file"),
    ("eval match.mat", "expected a position, got a match file (mat): gammond analyse"),
    ("eval {x} AACgAgAAKgAAAA", "expected one position, got 2"),
    ("eval two.txt", "expected one position, got 2: 'gammond batch'"),
    ("eval startpos --dice 3 1", "--dice is for 'hint'"),
    ("hint startpos --dice 7 1", "--dice: expected dice of 1 to 6, got 7"),
    ("hint startpos --score 1 0", "--score is for matches: add --match POINTS"),
    ("hint startpos --match 5 --score 5 0", "--score: the match to 5 is over at 5-0"),
    ("hint startpos --match 5 --crawford", "--crawford: a Crawford game needs"),
    ("hint startpos --match 5 --jacoby", "--jacoby is for money play"),
    ("hint startpos --match 5 --cube-value 2", "--cube-value: somebody holds a cube of 2"),
    ("hint startpos --cube-owner own", "--cube-owner: a cube of 1 is in the centre"),
    ("hint startpos --cube-value 3", "--cube-value: a cube is a power of two"),
    ("hint {doubled} --dice 3 1", "--dice: an offer is pending"),
    ("matrix {x} --cube-value 3", "expected a cube that is a power of two"),
    ("hint {over}", "the game is over"),
    ("cube {over}", "the game is over"),
    ("matrix {over}", "the game is over"),
    ("board {start} --variant hypergammon", "expected a position of hypergammon, with 3 checkers a side"),
    ("eval nonsense --variant barca", "expected ten ranks and the side to move"),
    ("eval {barca} --cubeless", "--cubeless is for backgammon"),
    ("eval {barca} --plies 99", "expected a whole number 1..48 for depth"),
    ("eval {barca} --weights none", "expected hand or learned, or 12 integers"),
    ("rollout rubbish", "a position ID has 14 characters"),
    ("rollout {start} --what moves", "needs dice"),
    ("rollout {start} --dice 3 7", "expected dice of 1 to 6"),
    ("rollout {start} --what cube --play 8/5", "--play goes with --what moves"),
    ("rollout {start} --dice 3 1 --play 8/3", "'8/3': "),
    ("rollout {start} --dice 3 1 --play '8/5 6/5' --play '6/5 8/5'", "leads to the same position"),
    ("rollout {start} --play 8/5", "--play needs dice"),
    ("rollout {start} --play 8/5 13/5", "expected nothing more, got '13/5': --play goes before each"),
    ("rollout {start} --dice 3 1 --what cube", "--dice goes with --what moves"),
    ("rollout {start} --what cube --cubeless", "expected the cube for a rollout of a cube decision"),
    ("rollout {start} --trials 0", "expected a whole number 1..1000000 for trials"),
    ("rollout {start} --plies 5", "expected 0 to 4 plies"),
    ("rollout {start} --leaf-plies -1", "expected 0 to 4 plies"),
    ("rollout {start} --candidates 0", "expected 1 candidate or more"),
    ("rollout {start} --stop-error nan", "--stop-error: expected a number, got nan"),
    ("rollout {start} --trials 36 --state missing/state", "there is no folder"),
    ("rollout {over} --dice 3 1", "the game is over: there are no plays"),
    ("convert pos.txt", "pos.txt: no such file"),
    ("convert nonsense", "expected a position (a GNUbg ID"),
    ("convert {x} --to xgd", "--to: expected xgid, gnubgid, positionid"),
    ("convert {x} {x}", "expected one position, got 2"),
    ("convert match.mat", "match.mat is a match file (mat): --to mat, --to sgf or --to ogxm writes matches"),
    ("convert match.mat --to xgid", "match.mat is a match file (mat): --to mat, --to sgf or"),
    ("convert .", ". is a folder: --to mat, --to sgf or --to ogxm"),
    ("convert match.mat --to mat,xgid", "--to: mat is for matches, and stands alone: --to mat"),
    ("convert match.mat --to sgf --json", "--json is for positions: --to mat, sgf or ogxm writes matches"),
    ("convert match.mat --to xgid --strict", "--strict is for matches: --to mat, sgf or ogxm writes"),
    ("convert match.mat match.mat --to sgf", "many files need a folder: --output FOLDER"),
    ("convert . --to sgf --output match.mat", "many files need a folder: --output FOLDER"),
    ("convert two.mat --to sgf", "2 matches need a folder: --output FOLDER"),
    ("convert match.mat --output new/a.sgf", "there is no folder"),
    ("convert match.mat --output match.mat --force", "the output would overwrite the input match.mat"),
    ("batch in.txt --resume", "--resume"),
    ("batch in.txt --output in.txt", "would overwrite the input"),
    ("batch none.txt", "none.txt: no such file"),
    ("batch .", "Is a directory"),
    ("batch in.txt --output new/rows.csv", "there is no folder"),
    ("batch in.txt --plies 5", "plies"),
    ("batch in.txt --trials 36", "--trials is for rollouts: add --rollout"),
    ("batch in.txt --leaf-plies 1", "--leaf-plies is for rollouts: add --rollout"),
    ("batch in.txt --no-vr", "--no-vr is for rollouts: add --rollout"),
    ("batch in.txt --long", "--long is for rollouts: add --rollout"),
    ("batch in.txt --output rows.xlsx", "rows are written as csv, tsv, jsonl, parquet"),
    ("batch in.txt --column Pos", "--column is for tables with a header: the first line holds the position"),
    ("batch in.txt --want cube --cubeless", "--cubeless leaves the cube out"),
    (
        "batch in.txt --want eval,mvoes",
        "--want: expected texts one of eval|moves|cube, separated by commas, got ",
    ),
    ("batch in.txt --ids fen", f"--ids: expected texts one of {'|'.join(ID_FORMS)}, separated by commas"),
    ("batch in.txt --format parquet", "parquet is written to a file: --output FILE.parquet"),
    ("batch in.txt --filter large --plies 1", "--filter is for plays that are searched: add --want"),
    ("batch in.txt --filter large --want moves", "add --want moves and --plies 1 or more"),
    ("batch in.txt --filter large --want moves --rollout", "add --want moves and --plies 1 or more"),
    ("batch in.txt --variant barca --cubeless", "--cubeless is for backgammon"),
    ("batch in.txt --variant barca --ids xgid", "--ids is for backgammon"),
    ("batch in.txt --variant barca --rollout", "--rollout is for backgammon"),
    ("batch in.txt --variant barca --cluster local:1", "--cluster is for backgammon"),
    ("batch in.txt --variant barca --want cube", "--want: there is no cube in barca"),
    ("batch in.txt --variant barca --plies 77", "expected a whole number 0..48 for depth"),
    ("batch in.txt --variant barca --weights none", "expected hand or learned, or 12 integers"),
    ("analyse match.mat match.mat --format sgf", "2 files need a folder: --output FOLDER"),
    ("analyse match.mat --rollout --trials 0", "trials"),
    ("analyse match.mat --trials 9", "add --rollout"),
    ("analyse match.mat --rollout-plies 1", "add --rollout"),
    ("analyse match.mat --rollout --candidates 1", "2 plays or more"),
    ("analyse match.mat --plies 9", "plies"),
    ("analyse match.mat --player nobody", "expected a player of these matches"),
    ("analyse match.mat --player michy --format sgf", "--player has no sgf"),
    ("analyse match.mat --player michy --window 0", "1 decision or more, got 0"),
    ("analyse match.mat --window 9", "add --player NAME"),
    ("config thme", "expected "),
    ("config theme pink", "expected "),
    ("config --reset", "expected --reset with the name of a preference alone"),
    ("config theme dark --reset", "expected --reset with the name of a preference alone"),
    ("completion csh", "expected one of bash, zsh, fish, got 'csh'"),
    ("perft barca 0", "DEPTH: expected a whole number 1..12, got 0"),
    ("perft barca 13", "DEPTH: expected a whole number 1..12, got 13"),
    ("perft barca", "expected DEPTH"),
    ("perft barca 1 --position 4EE4", "expected ten ranks and the side to move"),
    ("perft barca 2 --divide --position ''", "expected ten ranks and the side to move"),
    ("perft chess 1", "backgammon"),
    ("perft backgammon 1 --divide", "--position and --divide are for barca, not for backgammon"),
    ("perft backgammon 1 --position ''", "--position and --divide are for barca"),
    ("bearoff make --cubeless", "--cubeless needs --kind"),
    ("bearoff make --kind one-sided --cubeless", "--cubeless needs --kind two-sided"),
    ("bearoff make --kind two-sided --points 13 --output x", "1 to 12 points"),
    ("bearoff make --points 3", "--points needs --kind"),
    ("bearoff make --checkers 3", "--checkers needs --kind"),
    ("bearoff make --output 3", "--output needs --kind"),
    ("nets check nobodys", "expected a net"),
    ("nets remove", "expected the names of the nets to remove"),
    ("nets remove strong", "strong"),
    ("train vary", "expected TRAINER"),
    ("train vary tdd runs hidden=1,2", "got 'tdd' (did you mean 'td'?)"),
    ("train vary td runs hidden=1,2 --gaems 9", "no option '--gaems' (did you mean '--games'?)"),
    ("train vary td runs", "expected SETTING=LIST"),
    ("export nosuch --name mine", "expected the folder of a training run, got nosuch: no such folder"),
    ("store status --file none", "there is no store yet"),
    ("store status --file match.mat", "expected a store of analyses, got a"),
    ("store export --file none", "there is no store yet"),
    ("store verify --file none", "there is no store yet"),
    ("store deepen --file none", "there is no store yet"),
    ("store import in.txt", "in.txt: expected entries of a store"),
    ("store deepen --file store --for 10", "expected a time in seconds, minutes or hours, such as 90s, "),
    ("store deepen --file store --for 0s", "expected a time above 0"),
    (
        "store deepen --file store --until 25:00",
        "expected a time of the day as HH:MM, such as 06:30, got '25:00'",
    ),
    ("store deepen --file store --for 1s --until 06:30", "not allowed with"),
    ("store deepen --file store --tiers 1:9", "rising plies, 1 to 4"),
    ("store deepen --file store --net none", "expected an evaluator"),
    ("gnubg-match --gnubg /bin/true --level master --plies 1", "--level sets the plies"),
    ("gnubg-match --gnubg /bin/true --plies 5", "--plies: expected a whole number 0..4, got 5"),
    ("gnubg-match --gnubg /bin/true --gnubg-plies 5", "--gnubg-plies: expected a whole number 0..4, got 5"),
    ("tournament pubeval random --cluster local:1 --records new", "leave out --cluster, or --records"),
    ("bench --only speed", "moves"),
    ("serve", "expected --web [HOST:]PORT"),
    ("serve --tcp localhost", "such as 4321 or localhost:4321, got 'localhost'"),
    ("serve --tcp nosuchhost.invalid:4321", "expected a host that only this machine can reach, such as"),
    ("serve --tcp 0.0.0.0:0", "--allow-remote"),
    ("serve --gnubg 0.0.0.0:0", "--allow-remote"),
    ("serve --tcp 0 --gnubg 0", "start two servers, each with its own port"),
    ("serve --web 0 --gnubg 0", "start two servers, each with its own port"),
    ("serve --tcp 0 --web-host board.example", "--web-host is only for --web"),
    ("serve --gnubg 0 --cluster local:1", "--cluster is only for --tcp and --web"),
    ("serve --gnubg 0 --offer run:mine", "--offer is only for --tcp and --web"),
    ("serve --tcp 0 --offer random", "expected run:FOLDER, wildbg:FOLDER or function:FILE"),
    ("serve --tcp 0 --offer run:mine:plies=1", "expected run:FOLDER, wildbg:FOLDER or function:FILE"),
    ("serve --tcp 0 --offer run:none", "cannot be read"),
    ("serve --tcp 0 --cluster nowhere", "expected HOST:PORT"),
    ("serve --gnubg 0 --level expert --plies 1", "--level sets the plies"),
    ("serve --gnubg 0 --plies 9", "--plies: expected a whole number 0..4"),
    ("serve --gnubg 0 --player nobody", "got 'nobody'"),
    ("serve --tcp 0 --net default", "--net"),
    ("serve --tcp 0 --player pubeval", "--player"),
    ("serve --tcp 0 --no-jacoby", "--no-jacoby"),
    ("serve --tcp 0 --beavers", "--beavers"),
    ("serve --tcp 0 --level expert", "--level"),
    ("serve --tcp 0 --plies 0", "--plies"),
    ("serve --tcp 0 --filter tiny", "--filter"),
    ("serve --tcp 0 --threads 100000", "--threads: expected a whole number 1..256"),
    ("serve --tcp 0 --idle-timeout nan", "--idle-timeout: expected a number 1..10000000"),
    ("serve --gnubg 0 --idle-timeout inf", "--idle-timeout: expected a number 1..10000000"),
]
"""Words of a command -> what the line must say."""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder with `FILES`, and nothing of the person who runs the tests."""
    for name, text in FILES.items():
        (tmp_path / name).write_text(text)
    (tmp_path / "data").mkdir()
    monkeypatch.setenv("GAMMOND_DATA", str(tmp_path / "data"))
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(("words", "message"), MISTAKES, ids=[words for words, _ in MISTAKES])
def test_a_mistake_is_one_line_that_says_what_was_expected(words, message, folder, capsys):
    words = words.format(**NAMES)
    if words.startswith("store"):
        AnalysisStore(folder / "store").close()
    assert cli.main(shlex.split(words)) == 2
    said = capsys.readouterr()
    *notes, line = said.err.splitlines()
    assert said.out == ""
    assert line.startswith(("gammond: ", f"gammond {words.partition(' ')[0]}"))
    assert message.format(**NAMES) in line
    assert notes == [] or words.startswith(("analyse", "serve --gnubg"))  # which say what they read and load
    assert {name: (folder / name).read_text() for name in FILES} == FILES
