/** Barca at a table: its board, what is said there, and its rules, of which there is no choice. */

import { findSide, nameSeat } from "../play/names.js";
import { fill, text } from "../text.js";
import { BarcaBoard, makeMovesButton } from "./board.js";

/** @import { TableView } from "../play/table_view.js" */

const words = text.table.refusals;
const LEVELS = ["easy", "medium", "hard"];

/** @type {import("../games.js").Game} */
export const barca = {
  hasDice: false,
  isSquare: true,
  moveHint: text.table.moveHint,
  turn: text.table.yourMove,
  levels: ["medium", "medium"],
  listLevels: () => LEVELS,
  makeBoard(view) {
    const board = new BarcaBoard(view.boardBox);
    board.addEventListener("refuse", (event) => {
      const reason = explainSquare(view, /** @type {CustomEvent} */ (event).detail.square);
      if (reason) view.hint(reason);
    });
    board.addEventListener("move", (event) => view.act("play", { play: /** @type {CustomEvent} */ (event).detail.text }));
    return board;
  },
  drawBoard({ board, actingSeat, perspective }, state) {
    if (!(board instanceof BarcaBoard)) return;
    const legal = actingSeat === null ? [] : state.legal;
    const pieces = (state.pieces ?? []).map((piece) => ({ ...piece, seat: findSide(state, piece.seat) }));
    board.show({ ...state, pieces, legal }, { perspective: findSide(state, perspective) });
  },
  makeTools: () => [makeMovesButton({ class: "plain", "data-act": "show-moves" })],
  listResignations: () => [text.table.resignKinds[0]],
  address: ({ position }) => (position ? `barca/${encodeURIComponent(position)}` : ""),
  async openAnalysis(body, line, position) {
    const { BarcaView } = await import("./analysis.js");
    return new BarcaView(body, line, position);
  },
  hasRecord: () => false,
  readRules: () => ({ length: 0, cube: false }),
  listRules: () => [],
};

/**
 * Return why an animal cannot move; null where nobody would ask.
 *
 * @param {TableView} view
 * @param {string} square
 * @returns {string | null}
 */
function explainSquare({ state, seats, actingSeat, isBusy }, square) {
  if (!state?.pieces || state.result || !seats.length || isBusy) return null;
  if (actingSeat === null) return state.to_act === null ? null : fill(words.turn, { name: nameSeat(state.seats[state.to_act]) });
  const pressed = state.pieces.find(({ at }) => at === square);
  if (!pressed) return null;
  if (pressed.seat !== actingSeat) {
    return fill(words.others, { name: nameSeat(state.seats[1 - actingSeat]), side: text.barca.sides[findSide(state, actingSeat)] });
  }
  if (pressed.trapped) return words.trapped;
  const isOtherScared = state.pieces.some(({ seat, scared, trapped }) => seat === actingSeat && scared && !trapped);
  return isOtherScared && !pressed.scared ? words.scared : words.stuck;
}
