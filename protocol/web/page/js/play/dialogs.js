/** Dialogs of the table's page: the end of a game, resigning, and what a person prefers. */

import { button, checkField, choice, deafen, h, labelled } from "../dom.js";
import { preferences } from "../preferences.js";
import { text } from "../text.js";
import { findRecord } from "./record.js";

/** @import { TableView } from "./table_view.js" */

const words = text.table;

/**
 * Open a dialog that goes away when it is closed.
 *
 * @param {string} title
 * @param {string} className
 * @param {...(Node | string)} children
 */
function openDialog(title, className, ...children) {
  document.querySelector(`dialog.${className}`)?.remove();
  const dialog = h("dialog", { class: className, "aria-label": title }, h("h2", {}, title), ...children);
  dialog.addEventListener("close", () => {
    dialog.remove();
    if (document.activeElement === document.body) document.getElementById("main")?.focus({ preventScroll: true }); // what had the focus is gone
  });
  document.body.append(dialog);
  dialog.showModal();
  return dialog;
}

/** @param {TableView} view */
export function showEnd(view) {
  const { state } = view;
  if (!state?.result) return;
  const isFinished = state.phase === "finished" || state.match_winner !== null;
  const close = () => dialog.close();
  const match = view.controls.describeMatch();
  const next = isFinished || !view.seats.length
    ? h("a", { class: "button main", href: "#/play", onclick: close }, words.newGame)
    : button(words.next, () => {
      close();
      view.act("next");
    }, { class: "main", "data-act": "next" });
  const canAnalyse = (isFinished || !state.length) && view.game.hasRecord(state);
  const analyse = button(state.length ? words.analyseMatch : words.analyseGames, async () => {
    const id = await findRecord(view).catch(() => null);
    close();
    if (id === null) view.say(words.notKept, true);
    else location.hash = `#/analyse/game/${id}`;
  });
  const links = h("div", { class: "row", role: "group" }, next, canAnalyse && analyse,
    isFinished && h("a", { class: "button", href: "#/progress", onclick: close }, words.progress), button(words.close, close));
  const dialog = openDialog(isFinished && state.length ? words.matchOver : words.gameOver, "end", h("p", {}, view.controls.describeResult()), match && h("p", {}, match), links);
  deafen(links);
}

/** @param {TableView} view */
export function askResignation(view) {
  const kinds = view.state ? view.game.listResignations(view.state) : [];
  const close = () => dialog.close();
  const answers = h("div", { class: "row", role: "group" },
    ...kinds.map((kind, index) => button(kind, () => {
      close();
      view.act("resign", { points: index + 1 });
    })), button(words.close, close, { class: "plain" }));
  const dialog = openDialog(words.resignTitle, "resign", h("p", {}, words.resignAs), answers);
  deafen(answers);
}

/**
 * What a person prefers; it holds at once.
 *
 * @param {TableView} view
 */
export function showOptions(view) {
  const { boards, modes, switches, shapes } = words;
  const board = choice(Object.entries(boards), preferences.get("board"), { onchange: () => preferences.set("board", board.value) });
  const mode = choice(Object.entries(modes), preferences.get("mode"), { onchange: () => preferences.set("mode", mode.value) });
  const boxes = Object.entries(switches).map(([key, label]) => {
    const name = /** @type {"tutor"} */ (key);
    const box = h("input", { type: "checkbox", name, checked: preferences.get(name), onchange: () => preferences.set(name, box.checked) });
    return h("div", {}, checkField(label, box));
  });
  const dialog = openDialog(words.options, "options", h("div", { class: "fields" }, labelled(shapes.board, board), labelled(shapes.mode, mode)),
    h("div", { class: "row" },
      view.checkerBoard && button(words.flip, () => preferences.set("flipped", !preferences.get("flipped"))),
      button(words.swap, () => {
        view.isSwapped = !view.isSwapped;
        view.draw();
      })),
    ...boxes, ...(view.seats.length && view.controls.maySteer ? [h("div", {}, view.controls.makePace())] : []), h("p"), button(words.close, () => dialog.close(), { class: "main" }));
}
