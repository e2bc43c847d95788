/** Keys of the table's page, wherever the focus is but in a field. */

import { announce } from "../dom.js";
import { fill, text } from "../text.js";
import { nameCube, nameDice, nameKind, namePlay, nameSeat } from "./names.js";

/** @import { TableView } from "./table_view.js" */

const words = text.table;
/** Keys that do one thing, however long they are held. */
const ONCE = /^([rdtphmsl]|enter)$/i;

/**
 * @param {TableView} view
 * @returns {() => void} stops listening
 */
export function listenToKeys(view) {
  const press = (/** @type {KeyboardEvent} */ event) => {
    const target = /** @type {HTMLElement} */ (event.target);
    if (event.ctrlKey || event.metaKey || event.altKey || target.closest("input, select, textarea, dialog")) return;
    if (event.key === "Enter" && target.closest("button, a")) return;
    const isHeld = event.repeat && ONCE.test(event.key);
    if (isHeld || pressKey(view, event.key)) event.preventDefault();
  };
  document.addEventListener("keydown", press);
  return () => document.removeEventListener("keydown", press);
}

/**
 * @param {TableView} view
 * @param {string} key
 * @returns {boolean} whether it means something
 */
function pressKey(view, key) {
  const { state, actingSeat } = view;
  if (!state) return false;
  const isActing = actingSeat !== null;
  switch (key.toLowerCase()) {
    case "r":
      if (isActing && state.phase === "roll") view.decide("roll");
      return true;
    case "d":
      if (isActing && state.phase === "roll" && state.cube?.may_double) view.decide("double");
      return true;
    case "t":
      if (isActing && state.phase === "response" && !view.controls.isDeaf) view.decide("take");
      return true;
    case "p":
      if (isActing && state.phase === "response" && !view.controls.isDeaf) view.controls.pass.press();
      return true;
    case "h":
      if (view.isAlone && isActing && view.game.hasDice) view.hints.ask();
      return true;
    case "m":
      (view.controls.typesDice ? view.controls.dice : view.controls.typed).focus();
      return true;
    case "s":
      announce(summarise(view));
      return true;
    case "l":
      announce(sayLast(view));
      return true;
    case "enter":
      if (view.controls.cannotMove && isActing) view.act("play", { play: state.tree?.[0].play ?? "pass" });
      else if ((view.checkerBoard?.play ?? null) !== null) view.playBoard();
      else return false;
      return true;
    case "backspace":
      if (!view.checkerBoard?.path.length) return false;
      view.checkerBoard.undoStep();
      return true;
    default:
      return false;
  }
}

/** @param {TableView} view */
function summarise({ state, ownSeat, perspective }) {
  if (!state) return "";
  const other = 1 - perspective;
  return fill(words.summary, {
    cube: nameCube(state, ownSeat), mine: state.score?.[perspective] ?? 0, theirs: state.score?.[other] ?? 0, myPips: state.pips?.[perspective] ?? "", theirPips: state.pips?.[other] ?? "",
    dice: state.dice ? fill(words.rolled, { dice: nameDice(state.dice) }) : words.noDice,
  });
}

/** @param {TableView} view */
function sayLast({ history, state }) {
  const entry = history.filter(({ kind }) => kind !== "roll" && kind !== "dice").at(-1);
  if (!entry || !state) return words.nothingYet;
  const pattern = /** @type {Record<string, string>} */ (words.says)[nameKind(entry)] ?? "{text}";
  return fill(pattern, { name: nameSeat(state.seats[entry.seat]), text: `${nameDice(entry.dice ?? [])} ${namePlay(entry.text)}`, dice: "" });
}
