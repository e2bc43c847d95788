"""Playing at the tables of the page, as people do: by presses, keys and taps."""

import json
import time

PREFERENCES = {"animation": False, "name": "Ann"}
ENABLED = ".main-buttons > :not(:disabled)"
MAY_ACT = f"{ENABLED}, .target.movable, dialog.end"


def prefer(page, **preferences):
    """Set what the person prefers, for the next loading of the page."""
    kept = json.dumps(PREFERENCES | preferences)
    page.add_init_script(f"localStorage.setItem('gammond.preferences', {json.dumps(kept)})")


def start_game(open_page, *, options=None, preferences=None, **fields):
    """Open a page and begin a game; fields are those of the form, by their names."""
    page = open_page("/#/help", **(options or {}))
    prefer(page, **(preferences or {}))
    page.reload()
    begin_game(page, **fields)
    return page


def begin_game(page, **fields):
    """Fill the form of a new game and send it."""
    page.evaluate("location.hash = '#/play'")
    page.locator("form summary").click()
    for name, value in fields.items():
        field = page.locator(f"[name='{name}']")
        if isinstance(value, bool):
            field.set_checked(value)
        elif field.evaluate("field => field.tagName") == "SELECT":
            field.select_option(value)
        else:
            field.fill(value)
    page.get_by_role("button", name="Start", exact=True).click()
    page.locator(".table .board").wait_for()


def list_acts(page):
    """List what the buttons below the board offer now."""
    return page.eval_on_selector_all(ENABLED, "found => found.map(each => each.dataset.act)")


def wait_for_turn(page):
    """Wait until the person can do something; return what."""
    page.wait_for_selector(MAY_ACT, state="attached")
    return list_acts(page)


def press(page, act):
    """Press a button below the board."""
    page.locator(f".main-buttons [data-act='{act}']").click()


def type_dice(page, dice):
    """Type the dice of a roll."""
    page.locator("#typed-dice").fill(dice)
    page.locator("#typed-dice").press("Enter")


def type_play(page, play):
    """Type a play."""
    page.locator("#typed-play").fill(play)
    page.locator("#typed-play").press("Enter")


def resign(page, result="a single game"):
    """Offer to resign."""
    page.locator("[data-act='resign']").click()
    page.locator("dialog.resign").get_by_role("button", name=result).click()


def invite(open_page, host, name="Bob"):
    """Open the link to the open seat of a page's table in another browser, and sit down there."""
    guest = open_page("/#/help")
    prefer(guest, name=name)
    guest.goto(host.get_by_label("Link to the open seat").input_value())
    guest.reload()
    guest.get_by_role("button", name="Sit down").click()
    return guest


def pass_double(page):
    """Pass a double: the first press asks, the second one passes."""
    button = page.locator("[data-act='drop']")
    button.click()
    button.click()


def move_checkers(page, press_target=None):
    """Move checkers wherever one can, until the play is whole."""
    press_target = press_target or (lambda target: target.click(force=True))
    for _ in range(8):
        if "done" in list_acts(page):
            return
        press_target(page.locator(".target.movable").first)
        press_target(page.locator(".target.legal").first)
    raise AssertionError("the play did not become whole")


def play_turn(page, *, doubles=False):
    """Do one thing in the game, whatever is to be done; return what was done."""
    acts = wait_for_turn(page)
    before = page.locator("#message").inner_text()
    if page.locator("dialog.end").count():
        return "end"
    for act in (*(["double"] if doubles else []), "roll", "take", "accept", "play", "next"):
        if act in acts:
            press(page, act)
            wait_for_change(page, before)
            return act
    move_checkers(page)
    before = page.locator("#message").inner_text()
    press(page, "done")
    wait_for_change(page, before)
    return "done"


def wait_for_change(page, before):
    """Wait until the sentence below the board is another one, or the game is over."""
    page.wait_for_function(
        "before => document.querySelector('dialog.end')"
        " || document.querySelector('#message').textContent !== before",
        arg=before,
    )


def play_until(page, is_reached, limit_s=900, **how):
    """Do what is to be done until something is reached; return all that was done."""
    done, end = [], time.monotonic() + limit_s
    while not is_reached(page):
        assert time.monotonic() < end, f"not reached after {len(done)} actions: {done[-5:]}"
        done.append(play_turn(page, **how))
        if done[-1] == "end":
            return done
    return done


def take_turn(page):
    """Wait for the turn of a page's person, and act until it is the other side's, without the cube."""
    wait_for_turn(page)
    own = page.locator(".player-bar.to-act .player-name").inner_text()
    end = page.locator(".player-bar.to-act .player-name").filter(has_not_text=own)
    while True:
        page.locator(MAY_ACT).or_(end).first.wait_for(state="attached")
        if end.count():
            return
        assert play_turn(page) != "end", "the game is over"


class BreakableSockets:
    """The WebSockets of a page, which can be cut.

    Args:
        page: The page, before it is loaded.
    """

    def __init__(self, page):
        self.is_cut = False
        self.routes = []
        page.route_web_socket("**/ws/*", self._serve)

    def _serve(self, route):
        if self.is_cut:
            route.close()
            return
        self.routes.append(route)
        route.connect_to_server()

    def cut(self):
        """Close what is open, and refuse what is opened."""
        self.is_cut = True
        for route in self.routes:
            route.close()
        self.routes.clear()

    def mend(self):
        """Let connections through again."""
        self.is_cut = False
