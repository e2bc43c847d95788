/** The line of positions that a person analyses: set up, played on, with undo and redo. It outlives the view. */

import { CHECKERS, copySetting, formatXgid, makeStart } from "./xgid.js";

/** @import { Setting } from "./xgid.js" */

/** @typedef {{setting: Setting, label: string, isSetUp: boolean}} Step */

const LONGEST = 500;

/** Events: `change` after each other position. */
export class PositionLine extends EventTarget {
  constructor() {
    super();
    this.variant = "backgammon";
    /** @type {Step[]} */
    this.steps = [{ setting: makeStart(), label: "", isSetUp: true }];
    this.at = 0;
  }

  /** @returns {Setting} */
  get setting() {
    return this.steps[this.at].setting;
  }

  /** Checkers of a side. */
  get total() {
    return CHECKERS[this.variant];
  }

  get canUndo() {
    return this.at > 0;
  }

  get canRedo() {
    return this.at + 1 < this.steps.length;
  }

  /** What links have: the XGID, behind the variant where that is another game than backgammon. */
  get address() {
    const xgid = formatXgid(this.setting);
    return this.variant === "backgammon" ? xgid : `${this.variant}/${xgid}`;
  }

  /**
   * Go on with another position; what was undone is forgotten.
   *
   * @param {Setting} setting
   * @param {string} label what led to it; empty for a position that was set up
   */
  push(setting, label = "") {
    if (formatXgid(setting) === formatXgid(this.setting)) return;
    this.steps = [...this.steps.slice(0, this.at + 1), { setting, label, isSetUp: !label }].slice(-LONGEST);
    this.at = this.steps.length - 1;
    this.dispatchEvent(new Event("change"));
  }

  /**
   * Set up a position that differs in some fields.
   *
   * @param {Partial<Setting>} changes
   */
  alter(changes) {
    this.push(copySetting(this.setting, changes));
  }

  /**
   * Begin a line.
   *
   * @param {Setting} setting
   * @param {string} [variant]
   */
  begin(setting, variant = this.variant) {
    this.variant = variant;
    this.steps = [{ setting, label: "", isSetUp: true }];
    this.at = 0;
    this.dispatchEvent(new Event("change"));
  }

  /** @param {number} place */
  goTo(place) {
    if (place < 0 || place >= this.steps.length || place === this.at) return;
    this.at = place;
    this.dispatchEvent(new Event("change"));
  }

  undo() {
    this.goTo(this.at - 1);
  }

  redo() {
    this.goTo(this.at + 1);
  }
}
