/** What is said when a place of the board is pressed from which nothing can be moved. */

import { explainRefusal } from "../board/refusal.js";
import { fill, text, wordFor } from "../text.js";

/** @import { TableView } from "./table_view.js" */

/**
 * @typedef {{place: import("../board/geometry.js").Place, point: number | null, picked: number | null}} Pressed `picked` the
 *   point of the checker that was picked up before
 */

const words = text.table.refusals;

/**
 * Return why nothing can be moved from a place; null where nobody would ask.
 *
 * @param {TableView} view
 * @param {Pressed} pressed
 * @returns {string | null}
 */
export function explainPress(view, pressed) {
  const { state, checkerBoard: board, actingSeat } = view;
  if (!state || state.result || !view.seats.length || view.isBusy || !board) return null;
  if (actingSeat === null) return state.to_act === null ? null : fill(words.turn, { name: view.nameOf(state.to_act) });
  if (state.phase === "roll" && state.dice_source === "typed") return words.dice;
  if (state.phase !== "play") return wordFor(words, state.phase);
  if (view.controls.cannotMove) return words.pass;
  return explainChecker(board, view, actingSeat, pressed);
}

/**
 * @param {import("../board/backgammon.js").BackgammonBoard} board
 * @param {TableView} view
 * @param {number} seat that is to move
 * @param {Pressed} pressed
 */
function explainChecker(board, view, seat, { place, point, picked }) {
  if (picked !== null) return words.cannotGo;
  const [own, theirs] = [board.checkers[seat], board.checkers[1 - seat]];
  if (point !== null && own[point] > 0) {
    if (!board.options.tree?.[board.node].moves.length) return words.played;
    return fill(words[explainRefusal(own, theirs, point, board.freeDice)], { dice: [...new Set(board.freeDice)].join(", ") });
  }
  const seen = board.pointOf(place, 1 - seat);
  if (seen === null || theirs[seen] === 0) return null;
  return fill(words.theirs, { name: view.nameOf(1 - seat), side: text.table.sideWords[seat] });
}
