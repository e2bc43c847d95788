/** What is not among the checkers of a position, in words: score, rules, cube, how a game ended. */

import { fill, text } from "../text.js";
import { isRedouble } from "./cube_words.js";
import { copySetting, hasCube } from "./xgid.js";

const words = text.analyse.facts;

/**
 * The score, the rules and the cube; a cube that was not turned says nothing.
 *
 * @param {import("./xgid.js").Setting} setting
 * @param {string[]} names of seats 0 and 1
 */
export function describeSetting(setting, names) {
  const { crawford, cube, length, score, jacoby, beavers } = setting;
  const [one, two] = names;
  const rules = [jacoby && words.jacoby, beavers && words.beavers].filter(Boolean).join(", ");
  return [
    length ? fill(words.match, { one, two, first: score[0], second: score[1], length }) : rules ? fill(words.moneyRules, { rules }) : words.money,
    crawford && words.crawford,
    hasCube(setting) && cube.value > 1 && fill(words.cube, { value: cube.value, owner: cube.owner === null ? words.nobody : names[cube.owner] }),
  ].filter(Boolean).join(" \u00b7 ");
}

/**
 * Who is to act, and the setting.
 *
 * @param {import("./xgid.js").Setting} setting
 * @param {string[]} names of seats 0 and 1
 */
export function describeTurn(setting, names) {
  const { cube, on_roll: side } = setting;
  const doubles = isRedouble(setting) ? words.redoubles : words.doubles;
  const turn = cube.offered ? fill(doubles, { side: names[side], value: 2 * cube.value }) : fill(words.onRoll, { side: names[side] });
  return `${describeEnd(setting, names) || turn} \u00b7 ${describeSetting(setting, names)}`;
}

/**
 * Why nothing is to be decided in a position: a side has no checkers left; empty while the game goes on.
 *
 * @param {import("./xgid.js").Setting} setting
 * @param {string[]} names of seats 0 and 1
 */
export function describeEnd({ checkers }, names) {
  const [one, two] = checkers.map((side) => side.slice(1).some((count) => count > 0));
  if (one && two) return "";
  return one || two ? fill(words.over, { side: names[one ? 1 : 0] }) : words.empty;
}

/**
 * @typedef {{winner: number, points: number, kind: string}} GameResult
 *
 * @param {GameResult | null} result
 * @param {string[]} names of seats 0 and 1
 * @param {GameResult} [ruled] the result by the rules, if it is another one
 * @returns {string}
 */
export function describeResult(result, names, ruled) {
  const { noResult, wins, winsOne, byFile } = text.analyse.match;
  if (!result) return noResult;
  const { winner, points, kind } = result;
  const stated = fill(points === 1 ? winsOne : wins, { name: names[winner], points, kind });
  return ruled ? fill(byFile, { stated, ruled: describeResult(ruled, names) }) : stated;
}

/**
 * How a game ended, with the score after it.
 *
 * @param {import("./xgid.js").Setting} setting before it ended
 * @param {GameResult} result
 * @param {string[]} names of seats 0 and 1
 */
export function describeEnding(setting, result, names) {
  const score = setting.score.map((points, seat) => points + (seat === result.winner ? result.points : 0));
  const after = copySetting(setting, { score, crawford: false, cube: { value: 1, owner: null, offered: false } });
  const parts = [describeResult(result, names), ...(setting.length ? [describeSetting(after, names)] : [])];
  return `${parts.join(": ")}.`;
}
