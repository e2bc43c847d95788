/** Words of cube actions, where a cube that somebody owns is redoubled, and their values for either side. */

import { text } from "../text.js";

const words = text.analyse.cube;

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
  const again = /** @type {Record<string, string>} */ (words.redoubles);
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
 * @typedef {object} CubeValues what the choices of a cube decision are worth to the side on roll: equities are left out
 *   where points have no scale
 * @property {boolean} [double]
 * @property {"take" | "drop" | "beaver"} [response]
 * @property {number} [no_double]
 * @property {number} [take]
 * @property {number} [drop]
 * @property {number} [mwc_no_double]
 * @property {number} [mwc_take]
 * @property {number} [mwc_drop]
 *
 * @typedef {{name: string, equity: number | undefined, mwc: number | undefined, isBest: boolean}} Choice
 */

/**
 * What the side on roll can choose, with what it is worth to it.
 *
 * @param {CubeValues} cube
 * @param {boolean} isAgain whether a double is a redouble
 * @returns {Choice[]}
 */
export function listDoubles(cube, isAgain) {
  const names = isAgain ? words.again : words;
  const best = !cube.double ? 0 : cube.response === "drop" ? 2 : 1;
  return [
    { name: names.noDouble, equity: cube.no_double, mwc: cube.mwc_no_double, isBest: best === 0 },
    { name: names.doubleTake, equity: cube.take, mwc: cube.mwc_take, isBest: best === 1 },
    { name: names.doublePass, equity: cube.drop, mwc: cube.mwc_drop, isBest: best === 2 },
  ];
}

/**
 * What the side that is doubled can choose, with what it is worth to it: a beaver is a take.
 *
 * @param {CubeValues} cube
 * @returns {Choice[]}
 */
export function listResponses({ response, take, drop, mwc_take: mwcTake, mwc_drop: mwcDrop }) {
  const { buttons } = words;
  const turn = (/** @type {number | undefined} */ value, /** @type {0 | 1} */ whole) => (value === undefined ? undefined : whole - value);
  return [
    { name: response === "beaver" ? buttons.beaver : buttons.take, equity: turn(take, 0), mwc: turn(mwcTake, 1), isBest: response !== "drop" },
    { name: buttons.drop, equity: turn(drop, 0), mwc: turn(mwcDrop, 1), isBest: response === "drop" },
  ];
}
