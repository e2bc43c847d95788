/** Keys of the table's page, wherever the focus is but in a field. */

import { announce } from "../dom.js";
import { fill, text } from "../text.js";
import { nameCube, nameDice, nameKind, namePlay, nameSeat } from "./names.js";

/** @import { TableView } from "./table_view.js" */

const words = text.table;
/** Keys that press a button, by what it does. */
const BUTTONS = /** @type {Record<string, string>} */ ({ r: "roll", d: "double", t: "take", p: "drop", h: "hint" });
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
  if (!view.state) return false;
  const name = key.toLowerCase();
  if (Object.hasOwn(BUTTONS, name)) {
    view.controls.press(BUTTONS[name]);
    return true;
  }
  switch (name) {
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
      return view.controls.press("play") || view.controls.press("done");
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
