/** The history of a name: a row for each match, with its record to save, its analysis and its end. */

import { announce, button, h, makeSureButton } from "../dom.js";
import { listTables } from "../play/known_tables.js";
import { nameSeat } from "../play/names.js";
import { fill, text, wordFor } from "../text.js";
import { formatSigned } from "../analyse/numbers.js";
import { formatDay, formatRating } from "./rating_plot.js";
import { setWaiting } from "../waits.js";
import { fetchJson, makeQuery, postJson, recordAddress, saveRecord } from "../server.js";

const words = text.progress;
const PAGE = 20;

/** @typedef {{kind: string, name: string, points: number, score: number | null, is_owned: boolean, rating: any}} KeptSeat */

/** Events: `remove` (a game is gone). */
export class GameList extends EventTarget {
  /**
   * @param {string} player
   * @param {string} variant
   * @param {string | null} user who is logged in
   */
  constructor(player, variant, user) {
    super();
    this.player = player;
    this.variant = variant;
    this.user = user;
    this.rows = h("tbody", { role: "rowgroup" });
    this.more = button(words.more, () => this.load(), { hidden: true });
    this.message = h("p", { class: "quiet" });
    const columns = [words.date, words.opponent, words.result, words.pr, words.luck, words.record];
    this.table = h("table", { class: "games", role: "table" },
      h("caption", { class: "unseen" }, fill(words.gamesOf, { name: player })),
      h("thead", { role: "rowgroup" }, h("tr", { role: "row" }, ...columns.map((name, place) => h("th", { role: "columnheader", scope: "col", class: place > 2 && place < 5 && "number" }, name)))), this.rows);
    this.element = h("section", { class: "panel" }, h("h2", {}, words.games), this.message,
      h("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": words.games }, this.table), this.more);
    /** @type {number | null} */
    this.before = null;
    this.isClosed = false;
    this.load();
  }

  close() {
    this.isClosed = true;
    setWaiting(this, false);
  }

  async load() {
    const { player, variant, before } = this;
    this.more.disabled = true;
    try {
      const page = await fetchJson(`games${makeQuery({ player, variant, before, limit: PAGE })}`);
      this.rows.append(...page.games.map((/** @type {any} */ game) => this.drawGame(game)));
      if (page.games.some((/** @type {any} */ game) => game.analysis === "waiting")) setWaiting(this, !this.isClosed);
      this.before = page.next;
      this.more.hidden = page.next === null;
      if (before) announce(fill(words.moreShown, { count: page.games.length }));
    } catch (error) {
      this.message.textContent = error instanceof Error ? error.message : String(error);
      this.message.className = "failure";
      return;
    } finally {
      this.more.disabled = false;
    }
    this.showEmpty();
  }

  showEmpty() {
    const isEmpty = !this.rows.children.length;
    this.message.textContent = isEmpty ? words.noGames : "";
    this.table.hidden = isEmpty;
  }

  /** @param {any} game */
  drawGame(game) {
    const own = this.findSeat(game.seats);
    const [mine, other] = [game.seats[own], game.seats[1 - own]];
    const row = h("tr", { role: "row" });
    const cell = (/** @type {string} */ name, /** @type {any} */ ...content) => h("td", { role: "cell", class: name }, ...content);
    const labelledCell = (/** @type {string} */ name, /** @type {string} */ label, /** @type {string} */ content) =>
      h("td", { role: "cell", class: `number ${name}`, "data-label": label }, content);
    row.append(
      cell("", h("time", { datetime: new Date(1000 * game.ended).toISOString() }, formatDay(game.ended))),
      cell("", nameSeat(other), game.has_help && h("span", { class: "small quiet", title: words.helpMeaning }, ` (${words.help})`),
        !game.is_rated && !game.has_help && h("span", { class: "small quiet", title: words.unratedMeaning }, ` (${words.unrated})`)),
      cell("", describeResult(game, mine, other)),
      labelledCell("pr", words.pr, mine.rating ? formatRating(mine.rating.performance_rating, mine.rating.performance_rating_95) : wordFor(words.analysis, game.analysis)),
      labelledCell("luck", words.luck, mine.rating ? formatSigned(mine.rating.luck, 2) : ""),
      cell("record", ...this.drawActions(game, other, row)));
    return row;
  }

  /** @param {KeptSeat[]} seats */
  findSeat(seats) {
    const isOwn = (/** @type {KeptSeat} */ seat) => seat.kind === "person" && fold(seat.name) === fold(this.player);
    return isOwn(seats[0]) || !isOwn(seats[1]) ? 0 : 1;
  }

  /**
   * @param {any} game
   * @param {KeptSeat} other
   * @param {HTMLElement} row
   */
  drawActions(game, other, row) {
    const about = fill(words.about, { name: nameSeat(other), date: formatDay(game.ended) });
    const link = (/** @type {string} */ href, /** @type {string} */ name, /** @type {object} */ more) => h("a", { href, "aria-label": `${name}, ${about}`, ...more }, name);
    const file = (/** @type {string} */ ending) =>
      link(recordAddress(game.id, ending), `.${ending}`, { download: true, onclick: (/** @type {Event} */ event) => this.save(game.id, ending, event) });
    const links = {
      sgf: [link(`#/analyse/game/${game.id}`, words.analyse, {}), file("mat"), file("sgf"), file("ogxm")],
      mat: [file("mat")],
      text: [file("txt")],
    }[/** @type {string} */ (game.format)] ?? [];
    const tokens = listTables().find(({ table }) => table === game.table)?.tokens ?? [];
    const isOwn = this.user !== null && fold(this.user) === fold(this.player) && game.seats[this.findSeat(game.seats)].is_owned;
    if (!tokens.length && !isOwn) return links;
    const { button } = makeSureButton({ label: words.remove, question: words.removeSure, asked: words.removeAsk },
      () => this.remove(game.id, tokens, row), { class: "plain tiny", "aria-label": `${words.remove}, ${about}` });
    return [...links, button];
  }

  /**
   * @param {number} id
   * @param {string} ending
   * @param {Event} event the click on the link to the file
   */
  async save(id, ending, event) {
    event.preventDefault();
    try {
      await saveRecord(id, ending);
      this.message.textContent = "";
    } catch (error) {
      this.fail(error);
    }
  }

  /**
   * @param {number} id
   * @param {string[]} tokens
   * @param {HTMLElement} row
   */
  async remove(id, tokens, row) {
    try {
      await postJson(`games/${id}/remove`, { tokens });
      const next = /** @type {HTMLElement | null} */ ((row.nextElementSibling ?? row.previousElementSibling)?.querySelector(".record a, .record button"));
      row.remove();
      this.showEmpty();
      announce(words.removed);
      (next ?? this.table.parentElement)?.focus();
      this.dispatchEvent(new Event("remove"));
    } catch (error) {
      this.fail(error);
    }
  }

  /** @param {unknown} error */
  fail(error) {
    this.message.textContent = error instanceof Error ? error.message : String(error);
    announce(this.message.textContent);
  }
}

/** @param {string} name */
function fold(name) {
  return name.normalize("NFKC").toLowerCase().split(/\s+/).filter(Boolean).join(" ");
}

/**
 * @param {any} game
 * @param {KeptSeat} mine
 * @param {KeptSeat} other
 */
function describeResult(game, mine, other) {
  const points = mine.points || other.points ? ` ${mine.points}–${other.points}` : "";
  const kind = game.length || game.result === "single" ? "" : ` (${wordFor(words.kinds, game.result)})`;
  const outcome = mine.score === null ? words.unfinished : mine.score === 1 ? words.won : mine.score === 0 ? words.lost : words.drawn;
  return h("span", { class: mine.score === 1 && "won" }, outcome + points + kind);
}
