/** Progress: the games of a name with its PR over time, and the lists of players and levels. */

import { choice, form, h, labelled } from "../dom.js";
import { preferences } from "../preferences.js";
import { VARIANTS } from "../games.js";
import { fill, text } from "../text.js";
import { AccountPanel } from "./account_panel.js";
import { nameSeat } from "../play/names.js";
import { GameList } from "./game_list.js";
import { RatingPlot, formatRating } from "./rating_plot.js";
import { fetchJson, makeQuery } from "../server.js";
import { drawTopLists } from "./top_lists.js";

const words = text.progress;
const FIRST_VARIANT = "backgammon";
/** Somewhat longer than the server gives the same lists again. */
const LISTS_MS = 2500;

/**
 * Open the view: `#/progress`, `#/progress/NAME` or `#/progress/NAME/VARIANT`.
 *
 * @param {HTMLElement} main
 * @param {string[]} parts
 * @param {import("../main.js").Context} context
 */
export async function open(main, parts, context) {
  const me = await fetchJson("me");
  const [name = me.name ?? preferences.get("name"), variant = FIRST_VARIANT] = parts;
  main.append(h("h1", {}, words.title));
  if (me.accounts) main.append(drawAccount(me.name, context));
  if (!me.archive) {
    main.append(h("p", { class: "panel" }, words.noArchive));
    return undefined;
  }
  const view = new ProgressView(name, variant, me.name);
  main.append(drawChooser(name, variant), view.element);
  await view.draw();
  return view;
}

/** The figures and games of a name, and the lists of players. */
class ProgressView {
  /**
   * @param {string} name
   * @param {string} variant
   * @param {string | null} user who is logged in
   */
  constructor(name, variant, user) {
    this.name = name;
    this.variant = variant;
    this.user = user;
    this.figures = h("div", { class: "own-figures" });
    this.own = h("div", { class: "own-games" }, this.figures);
    this.lists = h("div");
    this.period = choice(Object.entries(words.periods), "all", { name: "period", "aria-label": words.period, onchange: () => this.redraw() });
    this.element = h("div", { class: "progress" }, this.own, this.lists);
    /** @type {number | undefined} */
    this.timer = undefined;
    /** @type {RatingPlot | undefined} */
    this.plot = undefined;
    /** @type {GameList | undefined} */
    this.games = undefined;
  }

  /** Show what the server knows now; games that are listed stay. */
  async draw() {
    const { name, variant, user } = this;
    const [{ player }, lists] = await Promise.all([
      name ? fetchJson(`players${makeQuery({ name, variant })}`) : { player: null }, fetchJson(`players${makeQuery({ variant, period: this.period.value })}`),
    ]);
    this.plot?.close();
    this.plot = player?.ratings.length ? new RatingPlot(player.ratings) : undefined;
    this.figures.replaceChildren(...(player ? [drawSummary(player), ...(this.plot ? [this.plot.element] : [])]
      : [h("p", { class: "panel" }, name ? fill(words.unknown, { name }) : words.nameFirst)]));
    const isChoosing = document.activeElement === this.period;
    this.lists.replaceChildren(drawTopLists(lists, player?.name ?? name, this.period));
    if (isChoosing) this.period.focus();
    if (!player || this.games) return;
    this.games = new GameList(player.name, variant, user);
    this.games.addEventListener("remove", () => this.redraw());
    this.own.append(this.games.element);
  }

  /** Show the figures anew, and the lists once more when the server has counted them anew. */
  redraw() {
    const draw = () => this.draw().catch(() => {}); // what is shown stays
    draw();
    clearTimeout(this.timer);
    this.timer = setTimeout(draw, LISTS_MS);
  }

  close() {
    clearTimeout(this.timer);
    this.plot?.close();
    this.games?.close();
  }
}

/**
 * @param {string | null} user
 * @param {import("../main.js").Context} context
 */
function drawAccount(user, context) {
  const panel = new AccountPanel(user);
  panel.addEventListener("change", () => {
    context.tables.socket?.close(); // the next connection is that of who is logged in now
    if (location.hash === "#/progress") dispatchEvent(new Event("hashchange"));
    else location.hash = "#/progress";
  });
  return panel.element;
}

/**
 * @param {string} name
 * @param {string} variant
 */
function drawChooser(name, variant) {
  const field = h("input", { value: name, maxlength: 40, autocomplete: "off", spellcheck: "false" });
  const list = choice(Object.entries(VARIANTS), variant);
  const go = () => {
    location.hash = `#/progress/${encodeURIComponent(field.value.trim())}/${encodeURIComponent(list.value)}`;
  };
  list.addEventListener("change", go);
  return form({ class: "panel row chooser" }, go, labelled(words.whose, field), labelled(words.variant, list), h("button", {}, words.show));
}

/** @param {any} player */
function drawSummary(player) {
  const drawn = player.drawn ? `, ${fill(words.drawnCount, { count: player.drawn })}` : "";
  const facts = [
    [words.matches, String(player.matches)],
    [words.results, `${fill(words.wonLostCount, { won: player.won, lost: player.lost })}${drawn}`],
    [words.pr, player.counted ? `${formatRating(player.performance_rating, player.performance_rating_95)} (${player.counted === 1 ? words.decision : fill(words.decisions, { count: player.counted })})` : words.noRating],
  ];
  const opponents = player.opponents.slice(0, 5).map((/** @type {any} */ each) => `${nameSeat(each)} ${each.won}–${each.lost}`);
  if (opponents.length) facts.push([words.against, opponents.join(", ")]);
  return h("section", { class: "panel" }, h("h2", {}, player.name),
    h("dl", { class: "facts" }, ...facts.map(([name, value]) => h("div", {}, h("dt", {}, name), h("dd", {}, value)))));
}
