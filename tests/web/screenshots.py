"""Make the pictures of the page and of reports in the docs: `python -m tests.web.screenshots`."""

import io
import shutil
import tempfile
from pathlib import Path

from PIL import Image
from playwright.sync_api import Browser, Locator, Page, sync_playwright

from gammond.tools import cli
from tests.web.conftest import CHROMIUM, CHROMIUM_ARGUMENTS, serve_pages
from tests.web.table_page import begin_game, prefer, type_dice, type_play
from tests.web.waiting import visit

FOLDER = Path(__file__).parents[2] / "docs/assets"
POSITION = "XGID=-a-aBBD-C---dD---cbd------:0:0:1:64:2:1:0:5:10"
SCARED = "4ee4/4m1l3/7m2/10/5l4/4M5/10/3L6/6ML2/4EE4 w"
PLAYERS = {"Ann": "strong:level=casual", "Ben": "strong:level=intermediate"}
"""Names in the reports -> who plays the matches of which they are."""
MAX_BYTES = 150_000


def main() -> None:
    """Make all pictures anew."""
    with (
        tempfile.TemporaryDirectory() as folder,
        serve_pages(Path(folder)) as url,
        sync_playwright() as started,
        started.chromium.launch(executable_path=CHROMIUM, args=CHROMIUM_ARGUMENTS) as browser,
    ):
        show_play(open_page(browser, url, 1240, 800))
        show_analysis(open_page(browser, url, 1240, 800, dark=True, board="slate"))
        show_barca(open_page(browser, url, 390, 760))
        show_reports(browser, Path(folder))


def open_page(
    browser: Browser, url: str, width: int, height: int, *, dark: bool = False, board: str = "walnut"
) -> Page:
    """Open the page in a window of a size."""
    context = browser.new_context(
        viewport={"width": width, "height": height}, color_scheme="dark" if dark else "light"
    )
    page = context.new_page()
    page.goto(url + "/#/help")
    prefer(page, board=board, tutor=True)
    page.reload()
    return page


def show_play(page: Page) -> None:
    """Show a game with the objection of the tutor."""
    begin_game(page, length="5", level="expert", typedDice=True, position="4HPwATDgc/ABMA", pace="none")
    type_dice(page, "4 2")
    type_play(page, "24/20 13/11")
    page.locator(".tutor").wait_for()
    save(page, "page-play.png")


def show_analysis(page: Page) -> None:
    """Show ranked plays with arrows."""
    visit(page, f"#/analyse/{POSITION}")
    page.wait_for_selector(".advice[data-plies='2']")
    page.reload()  # now all is compiled: the time that is shown is that of the answer
    page.wait_for_selector(".advice[data-plies='2']")
    save(page, "page-analyse.png")


def show_barca(page: Page) -> None:
    """Show Barca on a phone: a scared mouse and the squares that it can go to."""
    begin_game(page, variant="barca", level="easy", position=SCARED, pace="none")
    page.locator(".target.movable").first.wait_for(state="attached")
    page.locator("[data-place='e5']").click(force=True)
    page.locator(".b-valid").first.wait_for()
    save(page, "page-barca.png")


def show_reports(browser: Browser, folder: Path) -> None:
    """Show the report of a match, one of its errors, and a player's matches over time."""
    matches = folder / "matches"
    run("tournament", *PLAYERS.values(), "--match", "5", "--games", "40", "--seed", "5", "--records", matches)
    files = sorted(matches.iterdir())
    for file in files:
        text = file.read_text("utf-8")
        for name, player in PLAYERS.items():
            text = text.replace(player.replace(":", " "), name)
        file.write_text(text, "utf-8")
    report, over_time = folder / "report.html", folder / "player.html"
    match = Path(shutil.copy(files[0], folder / "match.mat"))
    run("analyse", match, "--format", "html", "--output", report)
    run("analyse", "--player", "Ann", matches, "--plies", "0", "--format", "html", "--output", over_time)
    page = browser.new_page(viewport={"width": 760, "height": 1650})
    page.goto(report.as_uri())
    save(page, "report-top.png")
    page.set_viewport_size({"width": 1000, "height": 800})
    page.evaluate("for (const each of document.querySelectorAll('details')) each.open = true")
    save(page, "report-play.png", page.locator("article:has(.blunder):has(.made)").first)
    page.goto(over_time.as_uri())
    page.set_viewport_size({"width": 900, "height": 640})
    save(page, "report-player.png")


def run(*arguments: str | Path) -> None:
    """Run a command of the shell."""
    if cli.main([str(each) for each in arguments]):
        raise SystemExit(f"expected status 0 of {arguments}")


def save(page: Page, name: str, part: Locator | None = None) -> None:
    """Save what the window, or a part of the page, shows, in 256 colours."""
    page.wait_for_timeout(900)
    path = FOLDER / name
    picture = Image.open(io.BytesIO((part or page).screenshot())).convert("RGB")
    picture.quantize(256, dither=Image.Dither.NONE).save(path, optimize=True)
    size = path.stat().st_size
    if size > MAX_BYTES:
        raise SystemExit(f"expected a picture of at most {MAX_BYTES} bytes, {name} has {size}")


if __name__ == "__main__":
    main()
