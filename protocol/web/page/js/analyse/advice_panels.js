/** The panels beside the board: plays or rolls, the cube, a rollout, the scores; and when each of them asks. */

import { button, choice, h } from "../dom.js";
import { keep, recall } from "../storage.js";
import { fill, text } from "../text.js";
import { CubeAdvice } from "./cube_advice.js";
import { isRedouble } from "./cube_words.js";
import { explain } from "./explain.js";
import { describeFailure } from "./failures.js";
import { formatSeconds } from "./numbers.js";
import { PlayList, drawPlaysKey, toListed } from "./play_list.js";
import { ROLLS, RollChart } from "./roll_chart.js";
import { RolloutPanel } from "./rollout_panel.js";
import { ScoreMatrix } from "./score_matrix.js";
import { Tabs } from "./tabs.js";
import { copySetting } from "./xgid.js";

/** @import { PositionView } from "./position_view.js" */

const words = text.analyse;
const DEPTHS = ["0", "1", "2", "3", "4"];
const DEPTH_KEY = "gammond.analysis.plies";
const STEADY_PLIES = 2;

/** Asks at 0-ply at once, at 2-ply next, and as deep as is wanted in the end; another position stops all of it. */
export class AdvicePanels {
  /** @param {PositionView} view */
  constructor(view) {
    this.view = view;
    this.asking = new AbortController();
    this.rolling = new AbortController();
    this.counting = new AbortController();
    this.isHidden = false;
    /** @type {import("./questions.js").Advice | null} */
    this.advice = null;
    this.list = new PlayList();
    this.rolls = new RollChart();
    this.cube = new CubeAdvice();
    this.rollout = new RolloutPanel();
    this.matrix = new ScoreMatrix();
    this.status = h("p", { class: "small quiet", role: "status" });
    this.depth = choice(DEPTHS.map((plies) => [plies, `${plies}-ply`]), String(recall(DEPTH_KEY) ?? STEADY_PLIES), { onchange: () => this.changeDepth() });
    this.hide = button(words.plays.hide, () => this.toggleHidden(), { "aria-pressed": "false" });
    this.answers = h("div", {});
    this.hidden = h("p", { class: "quiet", hidden: true }, words.plays.hidden);
    /** @type {Parameters<CubeAdvice["show"]> | null} what the panel of the cube says */
    this.decision = null;
    /** @type {Parameters<RollChart["show"]>[0]} */
    this.rolled = null;
    this.tabs = new Tabs(words.title, [
      ["plays", words.plays.name, h("div", {}, this.answers, this.list.element, this.rolls.element, this.key = drawPlaysKey())],
      ["cube", words.cube.name, this.cube.element],
      ["rollout", words.rollout.name, this.rollout.element],
      ["scores", words.matrix.name, this.matrix.element],
    ], () => this.openTab());
    this.element = h("section", { class: "panel advice", "aria-label": words.title },
      h("div", { class: "row advice-head" }, h("label", { class: "depth" }, words.depth, " ", this.depth), explain("plies"), this.hide, h("span", { class: "grow" }), this.status),
      this.hidden, this.tabs.element);
    this.listen();
  }

  listen() {
    for (const list of [this.list, this.rollout]) {
      list.addEventListener("look", (event) => this.view.look(detailOf(event) ?? this.list.plays[0] ?? null));
      list.addEventListener("make", (event) => this.view.make(detailOf(event).play));
    }
    this.rolls.addEventListener("choose", (event) => this.view.line.alter({ dice: detailOf(event) }));
    this.cube.addEventListener("act", (event) => {
      const action = /** @type {keyof typeof words.cube.buttons} */ (detailOf(event));
      const { buttons, again } = words.cube;
      this.view.make(action, action === "double" && isRedouble(this.view.setting) ? again.button : buttons[action]);
    });
    this.rollout.addEventListener("start", () => this.rollOut());
    this.rollout.addEventListener("stop", () => this.rolling.abort());
    this.matrix.addEventListener("ask", () => this.askMatrix());
    this.matrix.addEventListener("stop", () => this.counting.abort());
    this.matrix.addEventListener("use", (event) => this.useScore(detailOf(event)));
  }

  close() {
    for (const work of [this.asking, this.rolling, this.counting]) work.abort();
  }

  /** Another position: forget what was asked, and ask again. */
  update() {
    this.close();
    this.rolling = new AbortController();
    const { setting } = this.view;
    this.advice = null;
    this.decision = null;
    this.list.clear();
    this.showRolls(null);
    this.cube.clear();
    this.rollout.reset(setting);
    this.matrix.matrix = null;
    this.list.element.hidden = !setting.dice;
    this.rolls.element.hidden = setting.dice !== null || setting.cube.offered;
    this.key.hidden = !setting.dice;
    if (this.view.end) return this.showEnd();
    this.ask();
    if (setting.cube.offered) this.tabs.open("cube");
    if (this.tabs.current === "scores") this.askMatrix();
  }

  /** Say that there is nothing to decide. */
  showEnd() {
    const said = `${this.view.end}.`;
    this.status.textContent = "";
    this.list.element.hidden = this.rolls.element.hidden = this.key.hidden = true;
    this.answers.replaceChildren(h("p", {}, said));
    this.cube.element.replaceChildren(h("p", {}, said));
    this.rollout.finish(said);
    this.rollout.start.disabled = true;
    this.matrix.showFailure(said);
  }

  /** Depths in the order in which they are asked. */
  get depths() {
    const { wanted } = this;
    return [...new Set([0, ...(wanted > STEADY_PLIES ? [STEADY_PLIES] : []), wanted])];
  }

  get wanted() {
    return Number(this.depth.value);
  }

  async ask() {
    this.asking.abort();
    if (this.view.end) return;
    this.asking = new AbortController();
    const { signal } = this.asking;
    const { setting } = this.view;
    try {
      for (const plies of this.depths) {
        if (plies > STEADY_PLIES) this.status.textContent = fill(words.plays.deeper, { plies });
        const advice = await this.view.questions.advise(setting, plies, signal);
        if (signal.aborted) return;
        this.advice = advice;
        this.redraw();
        if (plies === 0) this.askBeside(setting, signal);
      }
      if (setting.dice) {
        await this.askCube(setting, Math.min(STEADY_PLIES, this.wanted), signal);
        if (this.isCubeLookedAt) await this.askCube(setting, this.wanted, signal);
      }
    } catch (error) {
      if (signal.aborted) return;
      this.status.textContent = "";
      this.answers.replaceChildren(h("p", { class: "failure" }, describeFailure(error)));
      this.cube.element.replaceChildren(h("p", { class: "quiet" }, describeFailure(error)));
    }
  }

  /** Where dice are set, the cube is asked deeper than 2-ply only while its panel is open. */
  get isCubeLookedAt() {
    return this.wanted > STEADY_PLIES && this.tabs.current === "cube";
  }

  /**
   * @param {import("./xgid.js").Setting} setting
   * @param {number} plies
   * @param {AbortSignal} signal
   */
  async askCube(setting, plies, signal) {
    if (signal.aborted) return;
    const cube = await this.view.questions.adviseCube(setting, plies, signal);
    if (!signal.aborted) this.showCube(setting, cube);
  }

  /** @param {Parameters<CubeAdvice["show"]>} decision */
  showCube(...decision) {
    this.decision = decision;
    this.cube.show(...decision);
    if (this.isHidden) this.cube.hideAnswer(decision[0], decision[1]);
  }

  /** @param {Parameters<RollChart["show"]>[0]} rolls */
  showRolls(rolls) {
    this.rolled = rolls;
    this.rolls.show(this.isHidden ? null : rolls);
  }

  /**
   * Ask at 0-ply for what stands beside the answer: the cube where dice are set, the rolls where none are.
   *
   * @param {import("./xgid.js").Setting} setting
   * @param {AbortSignal} signal
   */
  async askBeside(setting, signal) {
    try {
      if (setting.dice) {
        const cube = await this.view.questions.adviseCube(setting, 0, signal);
        if (!signal.aborted && (this.advice?.plies ?? 0) <= STEADY_PLIES) this.showCube(setting, cube);
      } else if (!setting.cube.offered) {
        const rolls = await this.view.questions.askRolls(setting, ROLLS, signal);
        if (!signal.aborted) this.showRolls(rolls);
      }
    } catch {
      // The answer itself says what is wrong.
    }
  }

  /** Draw the advice that there is. */
  redraw() {
    const { advice, view } = this;
    if (!advice) return;
    const { setting } = view;
    const left = view.isFlipped ? 0 : 1;
    this.answers.replaceChildren();
    if (advice.moves) {
      const cannotMove = advice.moves.length === 1 && advice.moves[0].play === "pass";
      if (cannotMove) {
        this.answers.replaceChildren(h("p", {}, words.plays.cannotMove),
          button(words.tools.pass, () => view.make("pass", words.line.turned), { class: "main" }));
      }
      this.list.show(this.isHidden || cannotMove ? [] : toListed(advice.moves));
      view.look(this.isHidden || cannotMove ? null : this.list.findChosen() ?? this.list.plays[0]);
    }
    const value = advice.moves ? advice.moves[0] : advice.eval;
    if (this.isHidden) view.bar.clear(true);
    else if (value) view.bar.show(value, setting.on_roll, left);
    if (setting.cube.offered) this.answers.replaceChildren(h("p", {}, isRedouble(setting) ? words.plays.redoubled : words.plays.doubled));
    if (advice.cube) this.showCube(setting, advice.cube, advice.eval);
    const { plies } = advice;
    const time = formatSeconds(advice.ms);
    this.status.textContent = fill(advice.moves ? words.plays.status : words.plays.statusEvaluation, { count: advice.moves?.length ?? 0, plies, time });
    this.element.dataset.plies = String(plies);
    this.element.dataset.roll = setting.dice?.join("") ?? "";
    this.element.dataset.ms = advice.ms.toFixed(0);
  }

  changeDepth() {
    keep(DEPTH_KEY, this.wanted);
    this.ask();
  }

  toggleHidden() {
    this.isHidden = !this.isHidden;
    this.hide.setAttribute("aria-pressed", String(this.isHidden));
    this.hide.textContent = this.isHidden ? words.plays.show : words.plays.hide;
    const { isHidden, rollout, matrix } = this;
    for (const answer of [rollout.figures, rollout.list.element, matrix.grid, matrix.details, matrix.use, matrix.legend]) answer.classList.toggle("concealed", isHidden);
    this.hidden.hidden = !isHidden;
    if (this.decision) this.showCube(...this.decision);
    this.showRolls(this.rolled);
    this.redraw();
  }

  openTab() {
    if (this.tabs.current === "scores" && !this.matrix.matrix) this.askMatrix();
    const { setting } = this.view;
    if (this.isCubeLookedAt && setting.dice && this.advice?.plies === this.wanted) {
      this.askCube(setting, this.wanted, this.asking.signal).catch(() => {}); // What is shown stays.
    }
  }

  async rollOut() {
    const { setting } = this.view;
    this.rolling = new AbortController();
    const { signal } = this.rolling;
    const start = performance.now();
    const isCurrent = () => this.view.setting === setting;
    this.rollout.begin();
    try {
      const onProgress = (/** @type {any} */ progress) => isCurrent() && this.rollout.showProgress(progress);
      const found = await this.view.questions.rollOut(setting, this.rollout.getOptions(setting), { signal, onProgress });
      if (isCurrent()) this.rollout.show(found, performance.now() - start, isRedouble(setting));
    } catch (error) {
      if (isCurrent()) this.rollout.finish(signal.aborted ? words.rollout.stoppedEarly : describeFailure(error));
    }
  }

  async askMatrix() {
    this.counting.abort();
    if (this.view.end) return;
    this.counting = new AbortController();
    const { signal } = this.counting;
    const { setting } = this.view;
    const start = performance.now();
    const mine = setting.cube.owner === setting.on_roll;
    this.matrix.showProgress(0);
    try {
      const onProgress = () => signal.aborted || this.matrix.showProgress(performance.now() - start);
      const size = { ...this.matrix.size, cube: mine ? setting.cube.value : 1 };
      const matrix = await this.view.questions.askMatrix(setting, size, { signal, onProgress });
      if (!signal.aborted) this.matrix.show(matrix, setting, performance.now() - start);
    } catch (error) {
      if (!signal.aborted || this.view.setting === setting) this.matrix.showFailure(signal.aborted ? words.failures.stopped : describeFailure(error));
    }
  }

  /** @param {{mine: number, theirs: number}} away points that the side on roll and the other one need */
  useScore({ mine, theirs }) {
    const { setting } = this.view;
    const length = Math.max(mine, theirs, setting.length);
    const score = [0, 0];
    score[setting.on_roll] = length - mine;
    score[1 - setting.on_roll] = length - theirs;
    this.view.line.push(copySetting(setting, { length, score, crawford: false, jacoby: false, beavers: true }));
  }
}

/** @param {Event} event */
function detailOf(event) {
  return /** @type {CustomEvent} */ (event).detail;
}
