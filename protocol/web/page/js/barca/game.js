/** Barca at a table: its board, what is said there, and its rules, of which there is no choice. */

import { nameSeat } from "../play/names.js";
import { fill, text } from "../text.js";
import { words } from "./words.js";
import { BarcaBoard, makeMovesButton } from "./board.js";

/** @import { TableView } from "../play/table_view.js" */
/** @import { Piece, PieceMove } from "./board.js" */

/**
 * @typedef {import("../types.js").TableState & {pieces?: Piece[], white?: number, holes?: string[], legal?: PieceMove[], position?: string}} BarcaState
 */

const { refusals } = text.table;
const LEVELS = ["easy", "medium", "hard"];

/** @type {import("../games.js").Game} */
export const barca = {
  hasDice: false,
  isSquare: true,
  moveHint: text.table.moveHint,
  turn: text.table.yourMove,
  levels: ["medium", "medium"],
  listLevels: () => LEVELS,
  variants: words.variants,
  resultKinds: { ...text.table.resultKinds, ...words.resultKinds },
  help: words.help,
  findSide,
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
        const pieces = (state.pieces ?? []).map((piece) => ({ ...piece, seat: findSide(state, piece.seat) }));
        board.show({ ...state, pieces, legal }, { perspective: findSide(state, view.perspective) });
      },
    };
  },
  makeTools: () => [makeMovesButton({ class: "plain", "data-act": "show-moves" })],
  listResignations: () => [text.table.resignKinds[0]],
  address: (/** @type {BarcaState} */ { position }) => (position ? `barca/${encodeURIComponent(position)}` : ""),
  async openAnalysis(body, line, position) {
    const { BarcaView } = await import("./analysis.js");
    return new BarcaView(body, line, position);
  },
  hasRecord: () => false,
  readRules: () => ({ length: 0, cube: false }),
  listRules: () => [],
};

/**
 * @param {BarcaState} state
 * @param {number} seat
 */
function findSide({ white = 0 }, seat) {
  return seat === white ? 0 : 1;
}

/**
 * Return why an animal cannot move; null where nobody would ask.
 *
 * @param {TableView} view
 * @param {string} square
 * @returns {string | null}
 */
function explainSquare({ state: shown, seats, actingSeat, isBusy }, square) {
  const state = /** @type {BarcaState | null} */ (shown);
  if (!state?.pieces || state.result || !seats.length || isBusy) return null;
  if (actingSeat === null) return state.to_act === null ? null : fill(refusals.turn, { name: nameSeat(state.seats[state.to_act]) });
  const pressed = state.pieces.find(({ at }) => at === square);
  if (!pressed) return null;
  if (pressed.seat !== actingSeat) {
    return fill(refusals.others, { name: nameSeat(state.seats[1 - actingSeat]), side: words.board.sides[findSide(state, actingSeat)] });
  }
  if (pressed.trapped) return refusals.trapped;
  const isOtherScared = state.pieces.some(({ seat, scared, trapped }) => seat === actingSeat && scared && !trapped);
  return isOtherScared && !pressed.scared ? refusals.scared : refusals.stuck;
}
