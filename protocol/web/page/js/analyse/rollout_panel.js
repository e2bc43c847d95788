/** Rollouts: what and how long, progress with the error so far, a button to stop, the numbers with their errors. */

import { button, choice, h, labelled } from "../dom.js";
import { fill, text } from "../text.js";
import { formatAction } from "./cube_advice.js";
import { explain } from "./explain.js";
import { findEquity, formatInterval, formatPercent, formatSeconds, formatSigned } from "./numbers.js";
import { PlayList, compareChances } from "./play_list.js";

const words = text.analyse.rollout;
const TRIALS = ["36", "108", "324", "1296", "5184", "20736"];
const LENGTHS = ["0", "7", "11"];

/** @import { Setting } from "./xgid.js" */

/** @typedef {Record<string, any>} RolloutAnswer */

/** Events: `start` (`options` has how), `stop`, `look` and `make` of its plays. */
export class RolloutPanel extends EventTarget {
  constructor() {
    super();
    this.what = choice([["position", words.position], ["cube", words.cube]], "position");
    this.whatField = labelled(words.what, this.what);
    this.trials = choice(TRIALS.map((count) => [count, Number(count).toLocaleString("en")]), "324");
    this.plies = choice(["0", "1", "2"].map((plies) => [plies, `${plies}-ply`]), "0");
    this.truncate = choice(LENGTHS.map((moves) => [moves, moves === "0" ? words.toTheEnd : fill(words.moves, { moves })]), "0");
    this.candidates = choice(["2", "3", "5", "8"].map((count) => [count, fill(words.best, { count })]), "5");
    this.candidatesField = labelled(words.candidates, this.candidates);
    this.start = button(words.start, () => this.dispatchEvent(new Event("start")), { class: "main" });
    this.stop = button(text.analyse.stop, () => this.dispatchEvent(new Event("stop")), { hidden: true });
    this.meter = h("progress", { max: 1, value: 0, hidden: true, "aria-label": words.progress });
    this.status = h("p", { class: "small", role: "status" });
    this.list = new PlayList();
    for (const name of ["look", "make"]) {
      this.list.addEventListener(name, (event) =>
        this.dispatchEvent(new CustomEvent(name, { detail: /** @type {CustomEvent} */ (event).detail })));
    }
    this.figures = h("div", { class: "scroll" });
    this.element = h("div", { class: "rollout" }, h("p", { class: "quiet small" }, words.about, explain("rollout")),
      h("div", { class: "row settings" }, this.whatField, labelled(words.trials, this.trials), labelled(words.plies, this.plies),
        labelled(words.truncate, this.truncate), this.candidatesField),
      h("div", { class: "row" }, this.start, this.stop), this.meter, this.status, this.figures, this.list.element);
  }

  /**
   * The arguments of the rollout that is wanted.
   *
   * @param {Setting} setting
   */
  getOptions(setting) {
    const options = { trials: Number(this.trials.value), plies: Number(this.plies.value), truncate: Number(this.truncate.value) };
    return setting.dice ? { ...options, what: "moves", candidates: Number(this.candidates.value) } : { ...options, what: this.what.value };
  }

  /**
   * Another position: what was found is not about it.
   *
   * @param {Setting} setting
   */
  reset(setting) {
    this.whatField.hidden = setting.dice !== null;
    this.candidatesField.hidden = setting.dice === null;
    this.finish(setting.dice ? words.readyPlays : words.readyPosition);
    this.figures.replaceChildren();
    this.list.clear();
  }

  begin() {
    this.figures.replaceChildren();
    this.list.clear();
    this.start.disabled = true;
    this.stop.hidden = false;
    this.meter.hidden = false;
    this.meter.value = 0;
    this.status.textContent = words.begins;
  }

  /** @param {Record<string, any>} progress */
  showProgress({ trials, of, time_ms: ms, equity, se, pv }) {
    if (trials === undefined || !of) return;
    this.meter.value = trials / of;
    const left = trials ? formatSeconds((ms / trials) * (of - trials)) : "";
    const found = equity === undefined ? "" : fill(words.soFar, {
      play: pv ? `${pv} ` : "", equity: formatSigned(equity), se: se === undefined ? "" : formatInterval(se),
    });
    this.status.textContent = fill(words.working, { trials: trials.toLocaleString("en"), of: of.toLocaleString("en"), left, found });
  }

  /** @param {string} message */
  finish(message) {
    this.start.disabled = false;
    this.stop.hidden = true;
    this.meter.hidden = true;
    this.status.textContent = message;
  }

  /**
   * @param {RolloutAnswer} rollout
   * @param {number} ms
   * @param {boolean} isAgain whether a double is a redouble
   */
  show(rollout, ms, isAgain) {
    const reason = words.reasons[/** @type {keyof typeof words.reasons} */ (rollout.reason)] ?? "";
    const trials = rollout.trials.toLocaleString("en");
    this.finish(fill(words.done, { trials, time: formatSeconds(ms), reason }));
    if (rollout.candidates) this.list.show(rollout.candidates.map((/** @type {any} */ candidate) => toListedCandidate(candidate, rollout.candidates[0], rollout.trials)));
    else this.figures.replaceChildren(...drawEstimates(rollout, isAgain));
  }
}

/**
 * @param {Record<string, any>} candidate
 * @param {Record<string, any>} best
 * @param {number} trials of the plays that were kept to the end
 */
function toListedCandidate(candidate, best, trials) {
  const isOfPoints = candidate.behind !== undefined || candidate.jsd === undefined;
  return {
    play: candidate.play,
    equity: findEquity(/** @type {import("./questions.js").Evaluation} */ (candidate)),
    mwc: candidate.mwc,
    ...(isOfPoints ? { loss: candidate.behind ?? 0 } : compareChances(best, candidate)),
    se: candidate.unscaled ? undefined : candidate.cubeful_se ?? candidate.se,
    depth: fill(candidate.given_up && candidate.trials < trials ? words.prunedAfter : words.after, { trials: candidate.trials.toLocaleString("en") }),
    chances: [candidate.win, candidate.win_g, candidate.win_bg, candidate.lose_g, candidate.lose_bg],
  };
}

/**
 * @param {RolloutAnswer} rollout
 * @param {boolean} isAgain whether a double is a redouble
 */
function drawEstimates(rollout, isAgain) {
  const names = isAgain ? words.estimatesAgain : words.estimates;
  const table = h("table", { class: "figures" }, h("caption", { class: "small quiet" }, words.interval),
    h("thead", {}, h("tr", {}, h("td", {}), ...rollout.estimates.map((/** @type {any} */ each) =>
      h("th", { scope: "col" }, names[/** @type {keyof typeof words.estimates} */ (each.of)])))),
    h("tbody", {}, ...FIGURES.filter(([name]) => rollout.estimates.some((/** @type {any} */ each) => each[name] !== undefined))
      .map(([name, error, isChance]) => h("tr", {}, h("th", { scope: "row" }, words.figures[name]),
        ...rollout.estimates.map((/** @type {any} */ each) => h("td", { class: "number" }, formatFigure(each[name], each[error], isChance)))))));
  const verdict = rollout.action && h("p", { class: "verdict" },
    h("strong", {}, formatAction(rollout.action)));
  const isUnscaled = rollout.estimates.some((/** @type {any} */ each) => each.unscaled);
  return [...(verdict ? [verdict] : []), table, ...(isUnscaled ? [h("p", { class: "small quiet" }, text.analyse.noScale)] : [])];
}

const FIGURES = /** @type {[keyof typeof words.figures, string, boolean][]} */ ([
  ["cubeful", "cubeful_se", false], ["mwc", "mwc_se", true], ["equity", "se", false], ["win", "win_se", true], ["win_g", "win_g_se", true],
  ["win_bg", "win_bg_se", true], ["lose_g", "lose_g_se", true], ["lose_bg", "lose_bg_se", true],
]);

/**
 * @param {number | undefined} value
 * @param {number | undefined} error
 * @param {boolean} isChance
 */
function formatFigure(value, error, isChance) {
  const figure = isChance ? formatPercent(value, 2) : formatSigned(value);
  if (value === undefined || error === undefined) return figure;
  return `${figure} ${isChance ? formatInterval(100 * error, 2) : formatInterval(error)}`;
}
