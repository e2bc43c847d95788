/** Seats and plays as they are shown. */

import { text, wordFor } from "../text.js";

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
 * @param {string} play as the server writes it
 */
export function namePlay(play) {
  return play && play !== "pass" ? play : text.table.pass;
}
