/** The summary of a match: the figures of both players, and its games. */

import { button, h } from "../dom.js";
import { fill, text } from "../text.js";
import { explain } from "./explain.js";
import { formatPercent, formatSigned } from "./numbers.js";
import { describeResult } from "./setting_words.js";

/** @import { MatchRecord } from "./match_items.js" */

/** @typedef {{analysis: any, other: any, sources: string[]}} Analyses results of `analyse`, that of the page and another one, and their names */

const words = text.analyse.match;
const RATINGS = /** @type {[number, keyof typeof words.strengths][]} */ ([
  [2.5, "worldClass"], [5, "expert"], [7.5, "advanced"], [12.5, "intermediate"], [20, "casual"], [Infinity, "beginner"],
]);

/**
 * @param {MatchRecord} record
 * @param {Analyses} analyses
 * @param {(game: number) => void} openGame
 */
export function drawSummary(record, { analysis, other, sources }, openGame) {
  return [
    analysis ? drawFigures(record, analysis, other && [fill(words.prBy, { source: sources[1] }), other]) : h("p", { class: "quiet" }, words.analysing),
    ...record.games.flatMap((game, number) => game.missing ? [h("p", { class: "missing small" },
      fill(words.cut, { number: number + 1, missing: game.missing.join("; ") }))] : []),
    drawGames(record, analysis, openGame),
    drawFacts(record, analysis, sources[0]),
  ];
}

/**
 * @param {MatchRecord} record
 * @param {any} analysis
 * @param {[string, any] | undefined} other another analysis, whose ratings are shown by a name
 */
function drawFigures(record, analysis, other) {
  const rows = ROWS.filter(({ isMatch }) => !isMatch || record.length > 0);
  const phases = Object.keys(analysis.players[0].phases ?? {}).filter((phase) => analysis.players.some((/** @type {any} */ each) => each.phases[phase].counted));
  return h("div", { class: "scroll" }, h("table", { class: "figures summary" },
    h("thead", {}, h("tr", {}, h("td", {}), ...record.names.map((name, seat) => h("th", { scope: "col" }, h("span", { class: `dot dot-${seat}`, "aria-hidden": "true" }), name)))),
    h("tbody", {},
      ...rows.flatMap(({ name, term, get, isMain }) => [
        h("tr", { class: isMain && "main-row" }, h("th", { scope: "row" }, name, term && explain(term)),
          ...analysis.players.map((/** @type {any} */ player, /** @type {number} */ seat) => h("td", { class: "number" }, get(player, seat, analysis)))),
        ...(isMain && other ? [h("tr", {}, h("th", { scope: "row" }, other[0]),
          ...other[1].players.map((/** @type {any} */ player) => h("td", { class: "number" }, formatRating(player))))] : [])]),
      ...phases.map((phase) => h("tr", {}, h("th", { scope: "row", class: "under" }, fill(words.prOf, { phase: words.phases[/** @type {keyof typeof words.phases} */ (phase)] ?? phase })),
        ...analysis.players.map((/** @type {any} */ player) => h("td", { class: "number" }, formatRating(player.phases[phase])))))),
    ));
}

/** @typedef {{name: string, term?: keyof typeof text.analyse.terms, get: (player: any, seat: number, analysis: any) => any, isMatch?: boolean, isMain?: boolean}} Row */

/**
 * What decisions lost in all, in points and in MWC.
 *
 * @param {any} total
 */
function formatTotal(total) {
  const mwc = total.error_mwc ? ` (${formatPercent(total.error_mwc, 2)})` : "";
  if (total.error === null) return mwc.trim() || "0";
  return total.error ? `${total.error.toFixed(3)}${mwc}` : "0";
}

const ROWS = /** @type {Row[]} */ ([
  { name: words.pr, term: "pr", isMain: true, get: (player) => [formatRating(player), h("br"), h("span", { class: "small quiet" }, nameStrength(player.performance_rating))] },
  { name: words.errorsAndBlunders, term: "errors", get: (player) => fill(words.errorsOf, { errors: player.errors, blunders: player.blunders }) },
  { name: words.decisions, get: (player) => player.counted },
  { name: words.lost, term: "equity", get: (player) => formatTotal(player.total) },
  { name: words.lostPlays, get: (player) => formatTotal(player.plays) },
  { name: words.lostDoubling, get: (player) => formatTotal(player.doublings) },
  { name: words.lostResponses, get: (player) => formatTotal(player.responses) },
  { name: words.cubeErrors, get: (player) => fill(words.cubeErrorsOf, {
    missed: player.missed_doubles.count, wrong: player.wrong_doubles.count, takes: player.wrong_takes.count, passes: player.wrong_passes.count,
  }) },
  { name: words.luck, term: "matchLuck", get: (player) => formatSigned(player.luck_points) + (player.luck_mwc ? ` (${formatSigned(100 * player.luck_mwc, 2)}\u202f%)` : "") },
  { name: words.withoutLuck, term: "withoutLuck", isMatch: true, get: (_, seat, { luck_adjusted: result }) =>
    (result === null ? "\u2013" : formatPercent(seat === 0 ? result : 1 - result)) },
  { name: words.otherRates, term: "snowie", get: (player) => [player.gnubg_error_rate, player.snowie_error_rate].map((rate) => (rate === null ? "\u2013" : rate.toFixed(1))).join(" / ") },
]);

/** @param {any} part with a performance rating */
export function formatRating({ performance_rating: rating, performance_rating_95: interval, unscaled }) {
  if (rating === null || rating === undefined) return unscaled ? h("span", { title: words.noScaleReason }, words.noScale) : "\u2013";
  return rating.toFixed(2) + (interval ? ` \u00b1 ${interval.toFixed(1)}` : "");
}

/** @param {number | null} rating */
function nameStrength(rating) {
  if (rating === null) return "";
  return words.strengths[/** @type {[number, keyof typeof words.strengths]} */ (RATINGS.find(([most]) => rating < most))[1]];
}

/**
 * @param {MatchRecord} record
 * @param {any} analysis
 * @param {(game: number) => void} openGame
 */
function drawGames(record, analysis, openGame) {
  return h("div", { class: "scroll" }, h("table", { class: "match-games" }, h("caption", {}, words.games),
    h("thead", {}, h("tr", {}, h("th", { scope: "col" }, words.gameColumn), h("th", { scope: "col" }, words.score), h("th", { scope: "col" }, words.result),
      ...record.names.map((name) => h("th", { scope: "col" }, fill(words.prName, { name }))))),
    h("tbody", {}, ...record.games.map((game, number) => h("tr", {},
      h("th", { scope: "row" }, button(fill(words.game, { number: number + 1 }), () => openGame(number), { class: "plain" })),
      h("td", { class: "number" }, `${game.score[0]}\u2013${game.score[1]}`, game.crawford && h("span", { class: "small quiet" }, ` ${words.crawford}`)),
      h("td", {}, describeResult(game.result, record.names, game.result_by_rules)),
      ...[0, 1].map((seat) => h("td", { class: "number" }, analysis ? formatRating(analysis.games[number].players[seat]) : "\u2026")))))));
}

/**
 * @param {MatchRecord} record
 * @param {any} analysis
 * @param {string} source the name of the analysis
 */
function drawFacts(record, analysis, source) {
  const facts = [...Object.entries(record.headers).map(([name, value]) => [words.headers[/** @type {keyof typeof words.headers} */ (name)] ?? name, value]),
    ...(analysis ? [[words.analysedBy, analysis.method ?? source]] : [])];
  return h("div", {}, record.comment && h("p", { class: "comment" }, record.comment),
    h("dl", { class: "match-facts small" }, ...facts.flatMap(([name, value]) => [h("dt", {}, name), h("dd", {}, value)])));
}
