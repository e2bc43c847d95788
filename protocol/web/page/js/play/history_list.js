/** The moves of the game, as a list of turns; each can be gone back to. */

import { h } from "../dom.js";
import { text, wordFor } from "../text.js";
import { nameDice, nameKind, namePlay } from "./names.js";

/** @import { TableView } from "./table_view.js" */
/** @import { Entry } from "../types.js" */

const words = text.table;

/** The list beside the board. */
export class HistoryList {
  /** @param {TableView} view */
  constructor(view) {
    this.view = view;
    this.list = h("ol", { class: "moves", tabindex: 0, "aria-label": words.history });
    this.help = h("p", { class: "small quiet" }, words.historyHelp);
    this.element = h("section", { class: "panel moves-panel" }, h("h2", {}, words.history), this.help, this.list);
    this.drawn = "";
  }

  draw() {
    const { history, state } = this.view;
    const mayGoBack = !!state && this.view.seats.length > 0 && !!state.undo;
    this.help.hidden = !this.view.checkerBoard;
    const key = `${history.length} ${history.at(-1)?.text} ${mayGoBack}`;
    if (key === this.drawn) return;
    this.drawn = key;
    const rows = history.filter(({ kind, n }) => kind !== "roll" && kind !== "dice" || n === history.length);
    this.list.replaceChildren(...(rows.length ? rows.map((entry) => this.makeRow(entry, mayGoBack)) : [h("li", { class: "quiet" }, words.noMoves)]));
    this.list.scrollTop = this.list.scrollHeight;
  }

  /**
   * @param {Entry} entry
   * @param {boolean} mayGoBack
   */
  makeRow(entry, mayGoBack) {
    const { n, seat, dice, text: said, kind } = entry;
    const isRoll = kind === "roll" || kind === "dice";
    const { state } = this.view;
    const mover = isRoll ? seat ?? state?.to_act ?? null : seat; // the opening roll is of both
    const side = mover === null || !state ? null : this.view.game.findSide(state, mover);
    const content = isRoll ? "…" : kind === "play" ? namePlay(said) : wordFor(words, nameKind(entry));
    return h("li", {},
      h("span", { class: `side-disc small seat${side ?? 2}`, title: words.sideWords[side ?? 0] }),
      h("span", { class: "roll number" }, dice && (kind === "play" || isRoll) ? nameDice(dice, "") : ""),
      h("span", { class: "grow" }, content),
      mayGoBack && !isRoll && h("button", { type: "button", class: "plain tiny", title: words.playFromHere, "aria-label": `${words.playFromHere}: ${content}`,
        onclick: () => this.view.act("go_back", { to: n }) }, "↶"));
  }
}
