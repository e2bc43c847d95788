/** What fields of a position allow each other: cube and owner, score and Crawford game. */

/** @import { SeatNumber } from "./xgid.js" */

/**
 * A cube in the middle is at 1, one above 1 has an owner: the field that was changed wins.
 *
 * @param {string} changed
 * @param {number} value
 * @param {SeatNumber | null} owner
 * @param {SeatNumber} onRoll
 */
export function fitCube(changed, value, owner, onRoll) {
  if (changed === "owner") return owner === null ? { value: 1, owner } : { value: Math.max(2, value), owner };
  return value === 1 ? { value, owner: null } : { value, owner: owner ?? onRoll };
}

/**
 * Whether exactly one side is one point from the match.
 *
 * @param {number} length
 * @param {number[]} score
 */
export function isCrawfordScore(length, score) {
  return length > 1 && score.filter((points) => points === length - 1).length === 1;
}

/**
 * The nearest whole number within bounds.
 *
 * @param {number} value
 * @param {number} low
 * @param {number} high
 */
export function clamp(value, low, high) {
  return Math.min(high, Math.max(low, Math.round(value) || 0));
}
