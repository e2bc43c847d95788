/** Backgammon and its variants at a table: the board, and the rules that are chosen and told. */

import { isVariant, makeStart } from "../analyse/xgid.js";
import { BackgammonBoard } from "../board/backgammon.js";
import { preferences } from "../preferences.js";
import { fill, text } from "../text.js";
import { explainPress } from "./refusals.js";

const LOOKING_AHEAD = ["world-class", "master", "grandmaster"]; // levels which know doubles as four moves only

/** @import { TableView } from "./table_view.js" */
/** @import { TableState } from "../types.js" */

/** @type {import("../games.js").GameRow} */
export const backgammon = {
  hasDice: true, hasCube: true, hasMatches: true, hasAdvice: true,
  turn: "",
  moveHint: text.table.playHint,
  levels: text.newGame.levels,
  usualLevels: ["intermediate", "expert"],
  listLevels: (isTwoMoves, levels) => levels.filter((level) => !isTwoMoves || !LOOKING_AHEAD.includes(level)),
  variants: text.newGame.variants,
  help: text.help.parts,
  makeBoard(view) {
    const board = new BackgammonBoard(view.boardBox);
    board.addEventListener("dice", () => (view.state?.phase === "roll" ? view.decide("roll") : view.playBoard()));
    board.addEventListener("cube", () => {
      if (view.actingSeat !== null && view.state?.phase === "roll" && view.state.cube?.may_double) view.decide("double");
    });
    board.addEventListener("refuse", (event) => {
      const reason = explainPress(view, /** @type {CustomEvent} */ (event).detail);
      if (reason) view.hint(reason);
    });
    board.addEventListener("step", () => {
      view.drawBars();
      view.say(view.controls.describe());
      view.controls.draw();
      const tree = view.state?.tree;
      if (!preferences.get("confirmPlay") && board.play !== null && tree?.[board.node].moves.length === 0) view.playBoard();
    });
    return { checkerBoard: board, draw: (state) => drawBoard(view, board, state) };
  },
  listResignations: ({ doubles }) => (doubles === "two" ? [text.table.resignKinds[0]] : text.table.resignKinds),
  address: ({ xgid }) => (xgid ? encodeURIComponent(xgid) : ""),
  hasRecord: ({ doubles }) => doubles !== "two",
  readRules({ length, cube, isTwoMoves, begins, crawford, jacoby, beavers, typedDice, how }) {
    return {
      length: Number(length.value), cube: cube.checked && !isTwoMoves, doubles: isTwoMoves ? "two" : "four",
      begins: begins.value === "roll" ? null : Number(begins.value), crawford: crawford.checked, jacoby: jacoby.checked,
      beavers: beavers.checked, dice: typedDice.checked && how.value !== "engines" ? "typed" : "server",
    };
  },
  listRules({ length, doubles, begins, crawford, jacoby, beavers, cube, dice, dice_source }) {
    const words = text.table.facts;
    const rules = [length === 0 ? words.money : length === 1 ? words.point : fill(words.points, { count: length })];
    if (doubles === "two") rules.push(words.twoMoves);
    if (typeof begins === "number") rules.push(words.begins[begins]);
    if (!cube) rules.push(words.noCube);
    else if (length > 1 && !crawford) rules.push(words.noCrawford);
    if (length === 0 && jacoby) rules.push(words.jacoby);
    if (length === 0 && beavers && cube) rules.push(words.beavers);
    if (dice === "typed" || dice_source === "typed") rules.push(words.typed);
    return rules;
  },
};

/**
 * @param {TableView} view
 * @param {BackgammonBoard} board
 * @param {TableState} state
 */
function drawBoard(view, board, state) {
  const { actingSeat, arrows, perspective } = view;
  view.boardBox.classList.toggle("waiting", !state.checkers);
  if (!state.checkers) {
    const { checkers } = makeStart(isVariant(state.variant) ? state.variant : undefined);
    return board.show({ checkers, score: state.score, length: state.length }, { perspective, showPips: false });
  }
  const isPlaying = state.phase === "play" && actingSeat !== null;
  const hasCube = state.length !== 1 && !state.result; // a match to 1 has no doubles; after a game it is that of the next one
  const shown = hasCube ? state : { ...state, cube: null };
  board.show(shown, {
    perspective, flipped: preferences.get("flipped"), tree: isPlaying ? state.tree : null, arrows,
    numbering: view.seats.length === 2 ? /** @type {0 | 1} */ (state.on_roll ?? perspective) : perspective,
    last: arrows.length ? null : view.lastPlay,
    animate: preferences.get("animation"), showPips: preferences.get("showPips"),
    rollable: state.phase === "roll" && actingSeat !== null && state.dice_source !== "typed",
  });
}
