/** What a person prefers, kept in this browser. */

import { keep, recall } from "./storage.js";

const KEY = "gammond.preferences";

const DEFAULTS = {
  mode: "system",
  board: "walnut",
  flipped: false,
  sound: false,
  animation: true,
  confirmPlay: true,
  forcedMoves: false,
  autoBearOff: false,
  autoRoll: false,
  tutor: false,
  showPips: true,
  showMoves: true,
  name: "",
  language: "en",
};

/** @typedef {typeof DEFAULTS} Preferences */

class PreferenceStore extends EventTarget {
  constructor() {
    super();
    /** @type {Preferences} */
    this.values = { ...DEFAULTS };
    const kept = recall(KEY) ?? {};
    for (const name of /** @type {(keyof Preferences)[]} */ (Object.keys(DEFAULTS))) {
      if (typeof kept[name] === typeof DEFAULTS[name]) /** @type {any} */ (this.values)[name] = kept[name];
    }
    this.applyToPage();
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.applyToPage());
  }

  /**
   * @template {keyof Preferences} N
   * @param {N} name
   * @returns {Preferences[N]}
   */
  get(name) {
    return this.values[name];
  }

  /**
   * @template {keyof Preferences} N
   * @param {N} name
   * @param {Preferences[N]} value
   */
  set(name, value) {
    this.values[name] = value;
    keep(KEY, this.values);
    this.applyToPage();
    this.dispatchEvent(new Event("change"));
  }

  applyToPage() {
    const dark = this.values.mode === "dark" ||
      (this.values.mode === "system" && matchMedia("(prefers-color-scheme: dark)").matches);
    document.documentElement.dataset.mode = dark ? "dark" : "light";
    document.documentElement.dataset.board = this.values.board;
  }
}

export const preferences = new PreferenceStore();
