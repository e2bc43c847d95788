/** A match as a row of items, one for each action of its games, with what the analysis says of each. */

import { isLossOf } from "./numbers.js";

/**
 * @typedef {object} RecordedAction
 * @property {number} move
 * @property {number} seat
 * @property {"play" | "roll" | "double" | "take" | "drop" | "resign" | "set"} action
 * @property {string} [dice]
 * @property {string} [play]
 * @property {true} [illegal] the rules forbid the play
 * @property {number} [cube]
 * @property {string} [resignation]
 * @property {boolean} [by_result] whether the result in the file alone tells of it
 * @property {string} [xgid]
 * @property {string} [comment]
 *
 * @typedef {object} RecordedGame
 * @property {number} game
 * @property {number[]} score
 * @property {boolean} crawford
 * @property {string} comment
 * @property {RecordedAction[]} actions
 * @property {string[]} [missing] what could not be read
 * @property {import("./setting_words.js").GameResult | null} result
 * @property {import("./setting_words.js").GameResult} [result_by_rules] where the file states another one
 *
 * @typedef {{format: string, names: string[], length: number, headers: Record<string, string>, comment: string,
 *   games: RecordedGame[], issues: string[], analysis?: any}} MatchRecord `analysis` is that of the file
 *
 * @typedef {object} Decision
 * @property {number} game
 * @property {number} action
 * @property {number} move
 * @property {number} seat
 * @property {"play" | "no double" | "double" | "take" | "pass" | "beaver"} decision
 * @property {string} roll
 * @property {string} chosen
 * @property {true} [illegal] the rules forbid what was chosen, and no error is counted
 * @property {string} best
 * @property {number | null} error
 * @property {number | null} error_mwc
 * @property {string} xgid
 * @property {string} depth
 * @property {{play: string, equity: number, mwc: number | null, depth: string, outcome: number[] | null, se?: number, trials?: number}[]} [candidates]
 * @property {number | null} [no_double]
 * @property {number | null} [double_take]
 * @property {number | null} [double_pass]
 * @property {number | null} [no_double_mwc]
 * @property {number | null} [double_take_mwc]
 * @property {number | null} [double_pass_mwc]
 * @property {number} [no_double_se]
 * @property {number} [double_take_se]
 * @property {number[] | null} [outcome]
 *
 * @typedef {object} Item
 * @property {number} place among all items of the match
 * @property {number} game from 0
 * @property {RecordedAction} action
 * @property {Decision[]} decisions
 * @property {number | null} luck
 * @property {number | null} value what the match is worth to seat 0 after it: MWC, in money games points
 */

/** What an error is, and a blunder: points lost. */
export const ERROR = 0.02;
export const BLUNDER = 0.08;

/**
 * @param {MatchRecord} record
 * @param {any} [analysis] a result of `analyse`
 * @returns {Item[]}
 */
export function listItems(record, analysis) {
  const decisions = groupByPlace(analysis?.decisions ?? []);
  const luck = new Map((analysis?.rolls ?? []).map((/** @type {any} */ roll) => [nameOf(roll.game, roll.action), roll.luck]));
  /** @type {Item[]} */
  const items = [];
  record.games.forEach((game, number) => game.actions.forEach((action, index) => {
    const isReplaced = game.actions[index + 1]?.action === "set"; // the file has a position in place of the play
    if (action.action === "set" || (action.action === "roll" && !isReplaced)) return;
    const name = nameOf(number + 1, index + 1);
    const found = decisions.get(name) ?? [];
    items.push({
      place: items.length, game: number, action, decisions: found, luck: /** @type {number | undefined} */ (luck.get(name)) ?? null,
      value: computeValue(record, game, action, found),
    });
  }));
  return items;
}

/**
 * @param {Decision[]} decisions
 * @returns {Map<string, Decision[]>}
 */
function groupByPlace(decisions) {
  /** @type {Map<string, Decision[]>} */
  const groups = new Map();
  for (const decision of decisions) {
    const name = nameOf(decision.game, decision.action);
    groups.set(name, [...(groups.get(name) ?? []), decision]);
  }
  return groups;
}

/**
 * @param {number} game
 * @param {number} action
 */
function nameOf(game, action) {
  return `${game}.${action}`;
}

/**
 * What the match is worth to seat 0 after an action, by its last decision.
 *
 * @param {MatchRecord} record
 * @param {RecordedGame} game
 * @param {RecordedAction} action
 * @param {Decision[]} decisions
 * @returns {number | null}
 */
function computeValue(record, game, action, decisions) {
  const decision = decisions.at(-1);
  if (!decision) return null;
  const of = (/** @type {string} */ name) => /** @type {any} */ (decision)[record.length ? `${name}_mwc` : name] ?? null;
  let value = null;
  let mover = decision.seat;
  if (decision.decision === "play") {
    const made = decision.illegal ? undefined : decision.candidates?.find(({ play }) => play === decision.chosen);
    value = made ? (record.length ? made.mwc : made.equity) : null;
  } else if (decision.decision === "double") {
    value = of("double_take") === null ? null : Math.min(of("double_take"), of("double_pass"));
  } else if (decision.decision === "take" || decision.decision === "pass") {
    value = of(decision.decision === "take" ? "double_take" : "double_pass");
    mover = 1 - mover;
  } else value = of("no_double");
  if (value === null) return null;
  if (record.length) return mover === 0 ? value : 1 - value;
  const cube = 2 ** Number((action.xgid ?? "").split(":")[1] || 0);
  return game.score[0] - game.score[1] + value * cube * (mover === 0 ? 1 : -1);
}

/**
 * The largest error of an item, in points.
 *
 * @param {Item} item
 */
export function getWorst(item) {
  return item.decisions.reduce((worst, decision) => Math.max(worst, sizeOf(decision)), 0);
}

/**
 * The kind of a decision, for filters: checker plays, doubling, or responses.
 *
 * @param {Decision} decision
 * @returns {"plays" | "doubling" | "responses"}
 */
export function getKind({ decision }) {
  if (decision === "play") return "plays";
  return decision === "double" || decision === "no double" ? "doubling" : "responses";
}

/**
 * The size of an error: what it lost in points, or would have lost at double match point where points have no scale.
 *
 * @param {Decision} decision
 */
export function sizeOf({ error, error_mwc: mwc }) {
  return error ?? 2 * (mwc ?? 0);
}

/**
 * @typedef {{least: number, seat: number | null, kind: string, order: "size" | "time"}} ErrorFilter
 *
 * @param {Item[]} items
 * @param {ErrorFilter} filter
 * @returns {{item: Item, decision: Decision}[]}
 */
export function listErrors(items, { least, seat, kind, order }) {
  const errors = items.flatMap((item) => item.decisions.map((decision) => ({ item, decision }))).filter(({ decision }) =>
    isLossOf(sizeOf(decision), least) && sizeOf(decision) > 0 && (seat === null || decision.seat === seat) && (!kind || getKind(decision) === kind));
  return order === "size" ? errors.sort((one, other) => sizeOf(other.decision) - sizeOf(one.decision)) : errors;
}
