/** Numbers as people of this game read them, and the quality of a choice by what it loses. */

import { fill, text } from "../text.js";

const words = text.analyse;
const MINUS = "\u2212";
const THIN = "\u202f";
const ERRORS_TO_95 = 1.96;
const SHORTEST_MS = 10;

/** Losses in points, as shown, from which a choice is of the class; errors and blunders as eXtreme Gammon counts them. */
const CLASSES = /** @type {[number, Quality][]} */ ([
  [0.08, "blunder"], [0.02, "error"], [0.01, "inaccuracy"], [0.00005, "good"],
]);

/** @typedef {"best" | "good" | "inaccuracy" | "error" | "blunder" | "unrated"} Quality */

/**
 * @param {number | null} loss in points; null where it is not known
 * @returns {Quality}
 */
export function classify(loss) {
  return loss === null ? "unrated" : CLASSES.find(([least]) => isLossOf(loss, least))?.[1] ?? "best";
}

/**
 * Whether a loss is of a size or larger. It counts as it is shown, with three digits: 0.0196 is shown as 0.020.
 *
 * @param {number} loss in points
 * @param {number} least in points
 */
export function isLossOf(loss, least) {
  return loss >= least || Number(loss.toFixed(3)) >= least;
}

/**
 * A number with its sign, as equities are written.
 *
 * @param {number | null | undefined} value
 * @param {number} [digits]
 */
export function formatSigned(value, digits = 3) {
  if (value === null || value === undefined) return "";
  const size = Math.abs(value).toFixed(digits);
  return (value < 0 && Number(size) !== 0 ? MINUS : "+") + size;
}

/**
 * A probability in percent.
 *
 * @param {number | null | undefined} value
 * @param {number} [digits]
 */
export function formatPercent(value, digits = 1) {
  return value === null || value === undefined ? "" : `${formatChance(value, digits)}${THIN}%`;
}

/**
 * A probability in percent, without the sign.
 *
 * @param {number} value
 * @param {number} [digits]
 */
export function formatChance(value, digits = 1) {
  const size = Math.abs(100 * value).toFixed(digits);
  return (value < 0 && Number(size) !== 0 ? MINUS : "") + size;
}

/**
 * What a choice loses, as a negative number; empty for none.
 *
 * @param {number | null} loss
 */
export function formatLoss(loss) {
  return loss === null ? "" : loss < 0.0005 ? "0" : MINUS + loss.toFixed(3);
}

/**
 * The equity by which choices are compared; null where points have no scale, and only chances of the match count.
 *
 * @param {{unscaled?: boolean, cubeful?: number, equity: number}} evaluation
 */
export function findEquity({ unscaled, cubeful, equity }) {
  return unscaled ? null : cubeful ?? equity;
}

/**
 * By how much a choice is better than another: the size as losses are classified, and how it is written.
 *
 * @param {number | null | undefined} points the difference of their equities; none where these are on no scale
 * @param {number} mwc that of their chances of the match, of which the size is then that at double match point
 * @returns {{size: number, said: string}} with the size as it is written
 */
export function measure(points, mwc) {
  if (points !== null && points !== undefined) return { size: points, said: fill(words.lossInPoints, { points: Math.abs(points).toFixed(3) }) };
  return { size: 2 * mwc, said: fill(words.lossInMwc, { mwc: formatPercent(Math.abs(mwc), 2) }) };
}

/**
 * The 95 % interval of a value, as half its width behind ±.
 *
 * @param {number} error standard error
 * @param {number} [digits]
 */
export function formatInterval(error, digits = 3) {
  return `\u00b1${THIN}${(ERRORS_TO_95 * error).toFixed(digits)}`;
}

/**
 * A time in seconds.
 *
 * @param {number} ms
 */
export function formatSeconds(ms) {
  if (ms < SHORTEST_MS) return `<${THIN}${(SHORTEST_MS / 1000).toFixed(2)}${THIN}s`;
  return `${(ms / 1000).toFixed(ms < 1000 ? 2 : 1)}${THIN}s`;
}
