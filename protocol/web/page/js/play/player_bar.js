/** The bar of a player: side, name, score, pips and clock. */

import { h } from "../dom.js";
import { findGame } from "../games.js";
import { fill, text } from "../text.js";
import { nameAction, nameSeat } from "./names.js";

/** @import { TableState } from "../types.js" */

const words = text.table;

/** One side's bar, above or below the board. */
export class PlayerBar {
  constructor() {
    this.disc = h("span", { class: "side-disc" });
    this.name = h("strong", { class: "player-name" });
    this.note = h("span", { class: "quiet small" });
    this.last = h("span", { class: "last-action small" });
    this.pips = h("span", { class: "pips quiet number" });
    this.clock = h("span", { class: "clock number", hidden: true });
    this.score = h("span", { class: "score number" });
    this.element = h("div", { class: "player-bar" }, this.disc, this.name, this.note, h("span", { class: "grow" }), this.last, this.pips, this.clock, this.score);
    /** @type {{bank: number, delay: number, at: number, isRunning: boolean} | null} */
    this.time = null;
  }

  /**
   * @param {TableState} state
   * @param {number} seat
   * @param {boolean} isOwn whether it is the only one that is held here
   * @param {number | null} pips
   * @param {import("../types.js").Entry | undefined} last what the seat did last
   */
  show(state, seat, isOwn, pips, last) {
    const { kind, here } = state.seats[seat];
    this.name.textContent = nameSeat(state.seats[seat]);
    this.note.textContent = [isOwn && words.you, kind === "person" && !here && words.away].filter(Boolean).join(", ");
    const side = findGame(state.game).findSide(state, seat);
    this.disc.className = `side-disc seat${side}`;
    this.disc.title = words.sideWords[side];
    this.pips.textContent = pips === null ? "" : fill(words.pips, { count: pips });
    this.last.textContent = nameAction(last);
    const score = state.score?.[seat] ?? 0;
    this.score.textContent = state.length ? fill(words.score, { score, length: state.length }) : fill(words.money, { score });
    this.element.classList.toggle("to-act", state.to_act === seat);
    const { clock } = state;
    this.clock.hidden = !clock;
    this.time = clock && {
      bank: clock.bank_s[seat], delay: clock.delay_s ?? clock.move_s, at: clock.at ?? 0, isRunning: clock.running === seat,
    };
  }

  /** Count down since the server's last word. */
  drawClock() {
    if (!this.time) return;
    const { bank, delay, at, isRunning } = this.time;
    const gone = isRunning ? (performance.now() - at) / 1000 : 0;
    const left = Math.max(0, bank - Math.max(0, gone - delay));
    const free = Math.max(0, delay - gone);
    const clock = `${Math.floor(left / 60)}:${String(Math.floor(left % 60)).padStart(2, "0")}`;
    this.clock.textContent = isRunning && free > 0 ? `${clock} +${Math.ceil(free)}` : clock;
    this.clock.classList.toggle("running", isRunning);
    this.clock.classList.toggle("short", left < 20);
  }
}
