/** Positions as the analysis holds them, and XGIDs (docs/reference/formats.md): seat 1 is the player at the bottom. */

/**
 * @typedef {0 | 1} SeatNumber
 *
 * @typedef {object} Setting a position with its match state
 * @property {number[][]} checkers by seat, in the seat's own numbering: 0 off, 1..24, 25 bar
 * @property {SeatNumber} on_roll
 * @property {number[] | null} dice
 * @property {{value: number, owner: SeatNumber | null, offered: boolean}} cube
 * @property {number} length points of the match, 0 for money
 * @property {number[]} score
 * @property {boolean} crawford
 * @property {boolean} jacoby
 * @property {boolean} beavers
 */

/** Checkers of a side by variant. */
export const CHECKERS = /** @type {Record<string, number>} */ ({
  backgammon: 15, nackgammon: 15, longgammon: 15, hypergammon: 3, hypergammon2: 2, hypergammon1: 1,
});

/**
 * Whether a word is the name of a variant of backgammon.
 *
 * @param {string | undefined} word
 */
export function isVariant(word) {
  return word !== undefined && Object.hasOwn(CHECKERS, word);
}

/** Starts by variant: checkers by point of both sides. */
const STARTS = /** @type {Record<string, Record<number, number>>} */ ({
  backgammon: { 24: 2, 13: 5, 8: 3, 6: 5 },
  nackgammon: { 24: 2, 23: 2, 13: 4, 8: 3, 6: 4 },
  longgammon: { 24: 15 },
  hypergammon: { 24: 1, 23: 1, 22: 1 },
  hypergammon2: { 24: 1, 23: 1 },
  hypergammon1: { 24: 1 },
});

export const BAR = 25;
const MAX_CUBE_LOG = 10;

/**
 * A money game without checkers.
 *
 * @param {number} total checkers of a side, all borne off
 * @returns {Setting}
 */
export function makeEmptySetting(total = 15) {
  const side = () => [total, ...Array(BAR).fill(0)];
  return {
    checkers: [side(), side()], on_roll: 1, dice: null, cube: { value: 1, owner: null, offered: false },
    length: 0, score: [0, 0], crawford: false, jacoby: true, beavers: true,
  };
}

/**
 * The start of a money game.
 *
 * @param {string} variant
 */
export function makeStart(variant = "backgammon") {
  const setting = makeEmptySetting(CHECKERS[variant]);
  for (const side of setting.checkers) {
    side[0] = 0;
    for (const [point, count] of Object.entries(STARTS[variant])) side[Number(point)] = count;
  }
  return setting;
}

/**
 * Read an XGID that the server wrote, with or without its `XGID=`; a beaver that waits is taken.
 *
 * @param {string} xgid
 * @param {number} [total] checkers of a side
 * @returns {Setting}
 */
export function parseXgid(xgid, total = 15) {
  const fields = xgid.replace(/^XGID=/, "").split(":");
  const [letters, cubeLog, owner, turn, dice, bottom, top, rules, length] = fields;
  const setting = makeEmptySetting(total);
  [...letters].forEach((letter, place) => {
    const bottomCount = "ABCDEFGHIJKLMNO".indexOf(letter) + 1;
    const topCount = "abcdefghijklmno".indexOf(letter) + 1;
    if (bottomCount) setting.checkers[1][place] = bottomCount;
    if (topCount) setting.checkers[0][BAR - place] = topCount;
  });
  fillBorneOff(setting, total);
  setting.on_roll = toSeat(turn) ?? 1;
  setting.cube = dice === "B" ? { value: 2 ** (Number(cubeLog) + 2), owner: setting.on_roll === 1 ? 0 : 1, offered: false }
    : { value: 2 ** Number(cubeLog), owner: toSeat(owner), offered: dice === "D" };
  setting.dice = /^[1-6]{2}$/.test(dice) ? [Number(dice[0]), Number(dice[1])] : null;
  setting.score = [Number(top), Number(bottom)];
  setting.length = Number(length);
  setting.crawford = setting.length > 0 && rules === "1";
  setting.jacoby = setting.length === 0 && (Number(rules) & 1) === 1;
  setting.beavers = setting.length > 0 || (Number(rules) & 2) === 2;
  return setting;
}

/**
 * Write an XGID.
 *
 * @param {Setting} setting
 * @returns {string}
 */
export function formatXgid(setting) {
  const [top, bottom] = setting.checkers;
  let letters = "";
  for (let place = 0; place <= BAR; place++) {
    const mine = place === 0 ? 0 : bottom[place];
    const theirs = place === BAR ? 0 : top[BAR - place];
    letters += mine ? "-ABCDEFGHIJKLMNO"[mine] : "-abcdefghijklmno"[theirs];
  }
  const { cube, length } = setting;
  const log = Math.round(Math.log2(cube.value));
  const rules = length ? Number(setting.crawford) : Number(setting.jacoby) + 2 * Number(setting.beavers);
  const dice = cube.offered ? "D" : (setting.dice ?? [0, 0]).join("");
  const sign = (/** @type {SeatNumber | null} */ seat) => (seat === null ? 0 : seat === 1 ? 1 : -1);
  const tail = [log, sign(cube.owner), sign(setting.on_roll), dice, setting.score[1], setting.score[0], rules, length,
    Math.max(log, MAX_CUBE_LOG)];
  return `XGID=${letters}:${tail.join(":")}`;
}

/**
 * @param {string} sign
 * @returns {SeatNumber | null}
 */
function toSeat(sign) {
  return sign === "1" ? 1 : sign === "-1" ? 0 : null;
}

/**
 * The variant whose sides have so many checkers; of several, backgammon.
 *
 * @param {number} total
 */
export function findVariant(total) {
  return Object.keys(CHECKERS).find((name) => CHECKERS[name] === total) ?? "backgammon";
}

/**
 * Put the checkers that are not on the board among those borne off.
 *
 * @param {Setting} setting
 * @param {number} total
 */
export function fillBorneOff(setting, total) {
  for (const side of setting.checkers) {
    side[0] = Math.max(0, total - side.slice(1).reduce((sum, count) => sum + count, 0));
  }
}

/**
 * A deep copy, changed.
 *
 * @param {Setting} setting
 * @param {Partial<Setting>} [changes]
 * @returns {Setting}
 */
export function copySetting(setting, changes = {}) {
  return { ...structuredClone(setting), ...structuredClone(changes) };
}

/**
 * The same position with the sides exchanged: checkers, cube, score and turn.
 *
 * @param {Setting} setting
 */
export function exchangeSides(setting) {
  const { cube } = setting;
  return copySetting(setting, {
    checkers: [...setting.checkers].reverse(),
    on_roll: other(setting.on_roll),
    cube: { ...cube, owner: cube.owner === null ? null : other(cube.owner) },
    score: [...setting.score].reverse(),
  });
}

/**
 * @param {SeatNumber} seat
 * @returns {SeatNumber}
 */
export function other(seat) {
  return seat === 0 ? 1 : 0;
}

/**
 * A position as the board shows it: without the cube in the Crawford game and in matches to 1 point.
 *
 * @param {Setting} setting
 * @returns {import("../types.js").BoardState}
 */
export function toBoardState(setting) {
  return hasCube(setting) ? setting : { ...setting, cube: null };
}

/**
 * Whether there is a cube in the game of a position.
 *
 * @param {Setting} setting
 */
export function hasCube({ crawford, length }) {
  return !crawford && length !== 1;
}
