/** Words of cube actions, where a cube that somebody owns is redoubled, and their values for either side. */

import { text } from "../text.js";

/**
 * Whether a double of the side on roll is a redouble.
 *
 * @param {import("./xgid.js").Setting} setting
 */
export function isRedouble({ cube }) {
  return cube.owner !== null;
}

/**
 * A cube action or the best one as the server names them for first doubles: `no double`, `double, take`.
 *
 * @param {string} name
 * @param {string | undefined} xgid the position before it, whose cube may have an owner
 */
export function nameCubeAction(name, xgid) {
  const again = /** @type {Record<string, string>} */ (text.analyse.cube.redoubles);
  return hasOwner(xgid) ? again[name] ?? name : name;
}

/**
 * Whether the cube of a position has an owner.
 *
 * @param {string | undefined} xgid
 */
export function hasOwner(xgid) {
  return /^-?1$/.test((xgid ?? "").split(":")[2] ?? "");
}

/**
 * Whether a double waits for its answer.
 *
 * @param {string | undefined} xgid
 */
export function isDoubled(xgid) {
  return (xgid ?? "").split(":")[4] === "D";
}

/**
 * What a value is worth to the other side; nothing stays nothing.
 *
 * @param {number | null | undefined} value
 * @param {0 | 1} whole what both sides have together: 0 of equities, 1 of chances
 */
export function turnValue(value, whole) {
  return value === null || value === undefined ? undefined : whole - value;
}
