/** The tutor: before a play counts it says what it costs, shows the better one, and offers to take it back. */

import { announce, button, deafen, h } from "../dom.js";
import { fill, text, wordFor } from "../text.js";
import { PLIES, loadAnalysis } from "./advice.js";

/** @import { TableView } from "./table_view.js" */
/** @typedef {{words: string, show: () => void, better: () => void, mainLabel?: string, keepLabel?: string}} Verdict */

const words = text.table;
const LEAST_LOSS = 0.01;

/** The tutor of a table. */
export class Tutor {
  /** @param {TableView} view */
  constructor(view) {
    this.view = view;
    this.element = h("section", { class: "tutor panel", hidden: true, "aria-label": words.tutorTitle });
    this.isChecking = false;
    /** @type {((allowed: boolean) => void) | null} */
    this.answer = null;
  }

  /** The decision is made, or gone. */
  clear() {
    this.hide();
    this.answer?.(false);
    this.answer = null;
  }

  hide() {
    this.element.hidden = true;
    this.element.parentElement?.classList.remove("asking");
  }

  /**
   * Whether a play is to be sent: it costs little, or the person wants it all the same.
   *
   * @param {string} play
   */
  allowsPlay(play) {
    return this.check(async (state, xgid) => {
      const { Questions, classify, measure, parsePlay } = await loadAnalysis();
      const questions = new Questions(this.view.context.line, state.variant);
      const { loss: points, mwc_loss: mwc, best, plies } = await questions.comparePlay(xgid, play, PLIES);
      const { size: loss, said } = measure(points, mwc);
      return {
        loss, words: fill(words.tutorPlay, { play, loss: said, best, plies, quality: wordFor(text.analyse.qualities, classify(loss)) }),
        show: () => this.view.showArrows([{ moves: parsePlay(best), className: "best" }]),
        better: () => this.view.act("play", { play: best }),
      };
    });
  }

  /**
   * Whether a cube action is to be sent.
   *
   * @param {"roll" | "double" | "take" | "drop" | "beaver"} act
   */
  allowsCube(act) {
    const { state } = this.view;
    if (act === "beaver" || (act === "roll" && !state?.cube?.may_double)) return Promise.resolve(true);
    return this.check(async (now, xgid) => {
      const { Questions, classify, compareChoices } = await loadAnalysis();
      const cube = await new Questions(this.view.context.line, now.variant).adviseCube(xgid, PLIES);
      const takes = compareChoices(cube, "drop", "take");
      const doubles = compareChoices(cube, takes.size >= 0 ? "take" : "drop", "no_double");
      const isAnswer = act === "take" || act === "drop";
      const { size, said } = isAnswer ? takes : doubles;
      const best = isAnswer ? (size >= 0 ? "take" : "drop") : size > 0 ? "double" : "roll";
      const loss = best === act ? 0 : Math.abs(size);
      const isAgain = (now.cube?.owner ?? null) !== null;
      const name = (/** @type {string} */ each) => {
        if (each === "roll") return isAgain ? text.analyse.cube.again.noDouble : text.analyse.cube.noDouble;
        return wordFor(words, each === "double" && isAgain ? "redouble" : each);
      };
      const label = (/** @type {string} */ each) => (each === "roll" ? words.roll : name(each));
      return {
        loss, mainLabel: label(best), keepLabel: fill(words.tutorKeepCube, { chosen: label(act) }), words: fill(words.tutorCube, { chosen: name(act), best: name(best), loss: said, plies: cube.plies, quality: wordFor(text.analyse.qualities, classify(loss)) }),
        show: () => {}, better: () => this.view.act(best),
      };
    });
  }

  /**
   * @param {(state: import("../types.js").TableState, xgid: string) => Promise<Verdict & {loss: number} | null>} assess
   * @returns {Promise<boolean>}
   */
  async check(assess) {
    const { state } = this.view;
    if (!state?.xgid || !this.view.isAlone) return true;
    if (this.isChecking) return false;
    this.isChecking = true;
    this.view.say(words.checking);
    try {
      const verdict = await assess(state, state.xgid);
      if (this.view.state !== state) return false;
      if (!verdict || verdict.loss < LEAST_LOSS) return true;
      return await this.ask(verdict);
    } catch {
      return true; // A tutor that cannot be asked does not hold up the game.
    } finally {
      this.isChecking = false;
      this.view.say(this.view.controls.describe());
    }
  }

  /**
   * @param {Verdict} verdict
   * @returns {Promise<boolean>}
   */
  ask(verdict) {
    return new Promise((resolve) => {
      const end = (/** @type {boolean} */ allowed) => {
        this.hide();
        this.answer = null;
        this.view.showArrows([]);
        resolve(allowed);
      };
      this.answer = resolve;
      const wasAdvised = this.view.isAdvised;
      this.view.isAdvised = true;
      const back = () => {
        end(false);
        this.view.checkerBoard?.undoAll();
      };
      const keep = button(verdict.keepLabel ?? words.tutorKeep, () => {
        this.view.isAdvised = wasAdvised; // the person stands by a choice of its own
        end(true);
      });
      const answers = h("div", { class: "row", role: "group" },
        button(verdict.mainLabel ?? words.tutorBetter, () => {
          end(false);
          verdict.better();
        }, { class: "main" }),
        button(words.tutorBack, back), keep);
      this.element.replaceChildren(h("p", {}, h("strong", {}, verdict.words)), answers, h("p", { class: "small quiet" }, words.tutorCounts));
      deafen(answers);
      this.element.hidden = false;
      this.element.parentElement?.classList.add("asking");
      verdict.show();
      announce(verdict.words);
      /** @type {HTMLElement} */ (this.element.querySelector("button")).focus();
    });
  }
}
