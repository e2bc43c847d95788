/** Seats and plays as they are shown. */

import { LEVELS } from "../games.js";
import { fill, text, wordFor } from "../text.js";

/** @import { TableState } from "../types.js" */

/**
 * @param {{kind: string, name?: string, level?: string | null} | undefined} seat at a table or of a game that is kept, where an
 *   engine's name is its level
 * @returns {string}
 */
export function nameSeat(seat) {
  if (seat?.kind === "open") return text.newGame.openSeat;
  return seat?.kind === "engine" ? wordFor(LEVELS, seat.level || seat.name) : seat?.name ?? "";
}

/** @param {string} play as the server writes it */
export function namePlay(play) {
  return play && play !== "pass" ? play : text.table.pass;
}

/**
 * A roll as it is written, the higher die first.
 *
 * @param {number[]} dice
 * @param {string} between
 */
export function nameDice(dice, between = "-") {
  return dice.slice().sort((one, other) => other - one).join(between);
}

/**
 * Where the cube is, as a sentence; empty where there is none.
 *
 * @param {TableState} state
 * @param {number | null} ownSeat the only seat that is held here
 */
export function nameCube({ cube, crawford, length, result, seats }, ownSeat) {
  const words = text.table.cubeIs;
  if (!cube || result || length === 1) return "";
  if (crawford) return text.table.crawford;
  if (cube.owner === null) return fill(words.middle, { value: cube.value });
  return fill(cube.owner === ownSeat ? words.own : words.held, { name: nameSeat(seats[cube.owner]), value: cube.value });
}

/**
 * The kind of an action, `redouble` for a double by the owner of the cube.
 *
 * @param {import("../types.js").Entry} entry
 */
export function nameKind({ kind, xgid_before: before }) {
  const owner = before?.split(":")[2] ?? "0";
  return kind === "double" && owner !== "0" ? "redouble" : kind;
}

/**
 * What the last action of a seat was, in few words; empty for none that is shown.
 *
 * @param {import("../types.js").Entry | undefined} entry
 */
export function nameAction(entry) {
  if (!entry) return "";
  const words = text.table;
  if (entry.kind !== "play") return wordFor(words.actions, nameKind(entry));
  const play = namePlay(entry.text);
  return entry.dice ? fill(words.lastPlay, { dice: nameDice(entry.dice), play }) : play;
}
