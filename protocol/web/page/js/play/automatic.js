/** What the page does by itself where the person wants it: rolls without a choice, forced moves, bearing off. */

import { onlyPlay } from "../board/tree.js";
import { preferences } from "../preferences.js";

/** @import { TableView } from "./table_view.js" */

const WAIT_MS = 450;

/** The person's helper at a table. */
export class AutomaticMoves {
  /** @param {TableView} view */
  constructor(view) {
    this.view = view;
    /** @type {number | undefined} */
    this.timer = undefined;
  }

  stop() {
    clearTimeout(this.timer);
  }

  /** Look at the state that has come, and do in a moment what needs no thought. */
  consider() {
    this.stop();
    const step = this.find();
    if (step) this.timer = setTimeout(step, WAIT_MS);
  }

  /** @returns {(() => void) | null} */
  find() {
    const { view } = this;
    const { state, actingSeat } = view;
    if (!state || actingSeat === null || !view.game.hasDice || state.paused) return null;
    if (state.phase === "roll" && preferences.get("autoRoll") && !state.cube?.may_double && state.dice_source !== "typed") {
      return () => view.act("roll");
    }
    if (state.phase !== "play" || !state.tree) return null;
    if (preferences.get("autoBearOff") && view.isAlone && isBearingOff(state.checkers, actingSeat)) return () => view.act("hint_play");
    if (!preferences.get("forcedMoves")) return null;
    const way = onlyPlay(state.tree);
    if (!way) return null;
    return () => {
      const board = view.checkerBoard;
      if (!board || board.path.length) return;
      if (way.length) board.walk(way);
      const play = state.tree?.[way.length ? way[way.length - 1].node : 0].play;
      this.timer = setTimeout(() => view.act("play", { play }), WAIT_MS);
    };
  }
}

/**
 * Whether a side has all its checkers at home and none of the other's behind them.
 *
 * @param {number[][]} checkers
 * @param {number} seat
 */
function isBearingOff(checkers, seat) {
  const own = checkers[seat];
  const theirs = checkers[1 - seat];
  const last = own.reduce((most, count, point) => (count > 0 ? point : most), 0);
  return last <= 6 && theirs.every((count, point) => !count || point === 0 || 25 - point > last);
}
