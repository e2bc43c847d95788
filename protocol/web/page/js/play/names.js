/** Seats and plays as they are shown. */

import { fill, text, wordFor } from "../text.js";

/** @typedef {import("../types.js").TableState} TableState */

/**
 * @param {import("../types.js").Seat | undefined} seat
 * @returns {string}
 */
export function nameSeat(seat) {
  if (!seat) return "";
  if (seat.kind === "open") return text.newGame.openSeat;
  if (seat.kind === "engine" && seat.level) return wordFor(text.newGame.levels, seat.level);
  return seat.name ?? "";
}

/**
 * The side that a seat has in the game at hand: 0 for light or white, 1 for dark or black.
 *
 * @param {{white?: number}} state
 * @param {number} seat
 * @returns {0 | 1}
 */
export function findSide({ white = 0 }, seat) {
  return seat === white ? 0 : 1;
}

/**
 * @param {string} play as the server writes it
 */
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

/**
 * What is played at a table, as facts: the game, the length of the match, its rules, the clock.
 *
 * @param {{variant: string, length: number, doubles?: string, begins?: 0 | 1 | null, crawford: boolean, jacoby: boolean, beavers: boolean, cube?: any,
 *   clock: {bank_s: number | number[], move_s: number} | null, dice?: any, dice_source?: string}} offer
 * @returns {string[]}
 */
export function listFacts({ variant, length, doubles, begins, crawford, jacoby, beavers, cube, clock, dice, dice_source }) {
  const words = text.table.facts;
  const facts = [wordFor(text.newGame.variants, variant)];
  if (variant !== "barca") {
    facts.push(length === 0 ? words.money : length === 1 ? words.point : fill(words.points, { count: length }));
    if (doubles === "two") facts.push(words.twoMoves);
    if (typeof begins === "number") facts.push(words.begins[begins]);
    if (!cube) facts.push(words.noCube);
    else if (length > 1 && !crawford) facts.push(words.noCrawford);
    if (length === 0 && jacoby) facts.push(words.jacoby);
    if (length === 0 && beavers && cube) facts.push(words.beavers);
    if (dice === "typed" || dice_source === "typed") facts.push(words.typed);
  }
  if (!clock) return [...facts, words.noClock];
  const bank = Math.max(...[clock.bank_s].flat());
  return [...facts, fill(words.clock, { bank: fill(words.minutes, { count: Math.round(bank / 6) / 10 }), move: clock.move_s })];
}
