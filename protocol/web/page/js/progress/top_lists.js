/** Lists of players and of levels: results, PR and Elo. */

import { h } from "../dom.js";
import { fill, text } from "../text.js";
import { explain } from "../analyse/explain.js";
import { nameSeat } from "../play/names.js";
import { formatRating } from "./rating_plot.js";

const words = text.progress;

/**
 * @typedef {{name: string, matches: number, won: number, lost: number, drawn: number, counted: number,
 *   performance_rating: number | null, performance_rating_95: number | null, elo: number | null, elo_error: number | null}} Listed
 * @typedef {{variant: string, players: Listed[], levels: Listed[], elo_of_0: string | null, min_counted: number}} Lists
 */

/**
 * @param {Lists} lists
 * @param {string} player who is marked
 * @param {HTMLElement} period the choice of the time that they cover
 */
export function drawTopLists(lists, player, period) {
  const hint = h("p", { class: "small quiet" }, fill(words.listHint, { count: lists.min_counted }), " ", explain("pr"), " ",
    lists.elo_of_0 && fill(words.eloHint, { name: nameSeat({ kind: lists.levels.some(({ name }) => name === lists.elo_of_0) ? "engine" : "person", name: lists.elo_of_0 }) }));
  return h("section", { class: "panel" }, h("div", { class: "row" }, h("h2", {}, words.lists), period),
    ...drawList(words.players, "person", lists.players, lists, player),
    ...drawList(words.levels, "engine", lists.levels, lists, player), hint);
}

/**
 * @param {string} title
 * @param {string} kind
 * @param {Listed[]} listed
 * @param {Lists} lists
 * @param {string} player
 */
function drawList(title, kind, listed, lists, player) {
  if (!listed.length) return [h("h3", {}, title), h("p", { class: "quiet" }, words.nobody)];
  const columns = [words.name, words.matches, words.wonLost, words.pr, words.elo];
  const rows = sort(listed, lists.min_counted).map((each) => {
    const isRated = each.counted >= lists.min_counted;
    const name = nameSeat({ kind, name: each.name });
    const address = `#/progress/${encodeURIComponent(each.name)}/${encodeURIComponent(lists.variant)}`;
    return h("tr", { class: kind === "person" && each.name === player && "own" },
      h("th", { scope: "row" }, kind === "person" ? h("a", { href: address }, name) : name),
      h("td", { class: "number" }, each.matches),
      h("td", { class: "number" }, `${each.won}–${each.lost}${each.drawn ? `–${each.drawn}` : ""}`),
      h("td", { class: "number" }, isRated ? formatRating(each.performance_rating, each.performance_rating_95) : words.tooFew),
      h("td", { class: "number" }, formatElo(each)));
  });
  const table = h("table", { class: "top-list" }, h("caption", {}, title),
    h("thead", {}, h("tr", {}, ...columns.map((name, place) => h("th", { scope: "col", class: place && "number" }, name)))),
    h("tbody", {}, ...rows));
  return [h("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": title }, table)];
}

/**
 * The distance in Elo with its standard error; that of the one at 0 has none.
 *
 * @param {Listed} listed
 */
function formatElo({ elo, elo_error: error }) {
  if (elo === null) return words.tooFew;
  const size = String(Math.abs(Math.round(elo)));
  const signed = elo < 0 && size !== "0" ? `\u2212${size}` : size;
  return error ? `${signed} ±\u00a0${Math.round(error)}` : signed;
}

/**
 * The best rating first, then those without one by their results.
 *
 * @param {Listed[]} listed
 * @param {number} least counted decisions of a rating with a place
 */
function sort(listed, least) {
  const rank = (/** @type {Listed} */ each) => (each.counted >= least && each.performance_rating !== null ? each.performance_rating : Infinity);
  return [...listed].sort((one, two) => rank(one) - rank(two) || (two.elo ?? -Infinity) - (one.elo ?? -Infinity) || two.matches - one.matches);
}
