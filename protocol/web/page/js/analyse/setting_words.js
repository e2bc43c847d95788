/** What is not among the checkers of a position, in words: score, rules, cube. */

import { fill, text } from "../text.js";
import { hasCube } from "./xgid.js";

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
  const turn = cube.offered ? fill(words.doubles, { side: names[side], value: 2 * cube.value }) : fill(words.onRoll, { side: names[side] });
  return `${turn} \u00b7 ${describeSetting(setting, names)}`;
}
