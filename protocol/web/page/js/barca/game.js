/** Barca at a table: its board, what is said there, and its rules, of which there is no choice. */

import { fill, text } from "../text.js";
import { words } from "./words.js";
import { BarcaBoard, makeMovesButton } from "./board.js";

/** @import { TableView } from "../play/table_view.js" */
/** @import { Piece, PieceMove } from "./board.js" */

/**
 * @typedef {import("../types.js").TableState & {pieces?: Piece[], holes?: string[], legal?: PieceMove[], position?: string}} BarcaState
 */

const { refusals } = text.table;

/** @type {import("../games.js").GameRow} */
export const barca = {
  ...words.game,
  isSquare: true,
  makeBoard(view) {
    const board = new BarcaBoard(view.boardBox);
    board.addEventListener("refuse", (event) => {
      const reason = explainSquare(view, /** @type {CustomEvent} */ (event).detail.square);
      if (reason) view.hint(reason);
    });
    board.addEventListener("move", (event) => view.act("play", { play: /** @type {CustomEvent} */ (event).detail.text }));
    return {
      draw(/** @type {BarcaState} */ state) {
        const legal = view.actingSeat === null ? [] : state.legal;
        const pieces = (state.pieces ?? []).map((piece) => ({ ...piece, seat: view.game.findSide(state, piece.seat) }));
        board.show({ ...state, pieces, legal }, { perspective: view.game.findSide(state, view.perspective) });
      },
    };
  },
  makeTools: () => [makeMovesButton({ class: "plain", "data-act": "show-moves" })],
  address: (/** @type {BarcaState} */ { position }) => (position ? `barca/${encodeURIComponent(position)}` : ""),
  async openAnalysis(body, line, position) {
    const { BarcaView } = await import("./analysis.js");
    return new BarcaView(body, line, position);
  },
};

/**
 * Return why an animal cannot move; null where nobody would ask.
 *
 * @param {TableView} view
 * @param {string} square
 * @returns {string | null}
 */
function explainSquare(view, square) {
  const { seats, actingSeat, isBusy } = view;
  const state = /** @type {BarcaState | null} */ (view.state);
  if (!state?.pieces || state.result || !seats.length || isBusy) return null;
  if (actingSeat === null) return state.to_act === null ? null : fill(refusals.turn, { name: view.nameOf(state.to_act) });
  const pressed = state.pieces.find(({ at }) => at === square);
  if (!pressed) return null;
  if (pressed.seat !== actingSeat) {
    return fill(refusals.others, { name: view.nameOf(1 - actingSeat), side: words.board.sides[view.game.findSide(state, actingSeat)] });
  }
  if (pressed.trapped) return refusals.trapped;
  const isOtherScared = state.pieces.some(({ seat, scared, trapped }) => seat === actingSeat && scared && !trapped);
  return isOtherScared && !pressed.scared ? refusals.scared : refusals.stuck;
}
