/** What can be done now: buttons, the field for typed plays and dice, and a sentence that says it. */

import { wayTo } from "../board/tree.js";
import { button, deafen, form, h, makeSureButton } from "../dom.js";
import { preferences } from "../preferences.js";
import { fill, text, wordFor } from "../text.js";
import { askResignation } from "./dialogs.js";
import { nameDice, nameSeat } from "./names.js";

/** @import { TableView } from "./table_view.js" */

const words = text.table;

/** The buttons below the board. */
export class Controls {
  /** @param {TableView} view */
  constructor(view) {
    this.view = view;
    this.main = h("div", { class: "row main-buttons", role: "group" });
    this.pass = makeSureButton({ label: words.drop, question: words.dropSure, asked: words.dropAsk }, () => this.view.decide("drop"), { class: "big", "data-act": "drop" });
    this.apart = h("div", { class: "row apart", role: "group", hidden: true }, this.pass.button);
    this.more = h("div", { class: "row more-buttons" });
    this.typed = h("input", { id: "typed-play", placeholder: words.playHint, spellcheck: "false", autocapitalize: "none", autocomplete: "off" });
    this.typedForm = form({ class: "row typed" }, () => this.submitTyped(),
      h("label", { for: "typed-play", class: "unseen" }, words.playLabel), this.typed, h("button", { type: "submit", class: "plain" }, words.send));
    this.dice = h("input", { id: "typed-dice", "aria-label": words.diceLabel, placeholder: "3 1", inputmode: "numeric", size: 5, autocomplete: "off" });
    this.diceForm = form({ class: "row typed", hidden: true }, () => this.submitDice(),
      this.dice, h("button", { type: "submit", class: "main" }, words.set));
    this.element = h("div", { class: "controls" }, this.diceForm, h("div", { class: "row" }, this.typedForm, this.more));
  }

  /** An offer has come: what answers it is deaf for a moment. */
  noteOffer() {
    this.pass.reset();
    for (const group of [this.main, this.apart]) deafen(group);
  }

  /**
   * Press the button of an action, as a key does.
   *
   * @param {string} act
   * @returns {boolean} whether there is one that can be pressed
   */
  press(act) {
    const groups = [this.main, this.apart, this.more].filter(({ hidden }) => !hidden);
    const button = groups.map((group) => group.querySelector(`button[data-act="${act}"]:not(:disabled)`)).find(Boolean);
    /** @type {HTMLElement | undefined} */ (button)?.click();
    return !!button;
  }

  /** Whether this person is to type dice now. */
  get typesDice() {
    const { state, seats, actingSeat } = this.view;
    if (!state || state.dice_source !== "typed" || !seats.length || state.phase !== "roll") return false;
    return actingSeat !== null || state.to_act === null || !!state.awaits_dice;
  }

  /** A sentence about what is to be done. */
  describe() {
    const { state, actingSeat, seats } = this.view;
    if (!state) return words.joining;
    const { request } = state;
    if (request) {
      const what = wordFor(words.requests, request.what);
      return seats.includes(request.seat) ? fill(words.asked, { what, name: this.view.nameOf(1 - request.seat) })
        : fill(words.asksFor, { what, name: this.view.nameOf(request.seat) });
    }
    if (state.phase === "waiting") return state.seats.some(({ kind }) => kind === "open") ? words.waitingOpen : words.waiting;
    if (state.result) return this.describeResult();
    if (state.paused) return words.paused;
    if (this.typesDice) return words.typeDice;
    if (actingSeat === null) {
      const pattern = state.phase === "response" ? this.chooseCubeWords(words.waitsForAnswer, words.waitsAgain, words.waitsBeaver)
        : state.phase === "resignation" ? words.waitsForAccept : words.theirTurn;
      const sentence = fill(pattern, { name: this.view.nameOf(state.to_act), value: this.offeredValue });
      return seats.length ? sentence : `${words.watching} ${sentence}`;
    }
    if (this.view.game.turn) return this.view.game.turn;
    const dice = nameDice(state.dice ?? []);
    if (state.phase === "roll") {
      if (!state.cube?.may_double) return state.crawford ? `${words.crawford} ${words.yourRoll}` : words.yourRoll;
      return state.cube.owner === null ? words.yourTurn : words.yourRedouble;
    }
    if (state.phase === "response") {
      return fill(this.chooseCubeWords(words.offered, words.offeredAgain, words.beavered), { name: this.view.nameOf(1 - actingSeat), value: this.offeredValue });
    }
    if (state.phase === "resignation") return fill(words.resigned, { name: this.view.nameOf(1 - actingSeat), kind: words.resignKinds[state.resignation - 1] });
    if (this.cannotMove) return fill(words.noMove, { dice });
    const play = this.view.checkerBoard?.play;
    if (play) return fill(words.wholePlay, { play });
    return fill(this.view.checkerBoard?.mustEnter ? words.yourEntry : words.yourPlay, { dice });
  }

  /**
   * The sentence for a first double, a redouble or a beaver, whichever waits for its answer.
   *
   * @param {string} first
   * @param {string} again
   * @param {string} beaver
   */
  chooseCubeWords(first, again, beaver) {
    const cube = this.view.state?.cube;
    if (cube?.beavered) return beaver;
    return cube && cube.owner !== null ? again : first;
  }

  /** What the cube would show if the double or beaver that waits is taken. */
  get offeredValue() {
    return 2 * (this.view.state?.cube?.value ?? 1); // a beaver has turned it to the value of the double already
  }

  describeResult() {
    const { result } = /** @type {import("../types.js").TableState} */ (this.view.state);
    if (!result) return "";
    if (result.winner === null) return words.draw;
    return fill(result.winner === this.view.ownSeat ? words.youWin : words.wins, {
      name: this.view.nameOf(result.winner),
      kind: wordFor({ ...words.resultKinds, ...this.view.game.resultKinds }, result.kind),
      points: result.points === 1 ? words.point : fill(words.points, { count: result.points }),
    });
  }

  /** Who won the match, and its score; empty where no match is over. */
  describeMatch() {
    const { match_winner: winner, length, score } = /** @type {import("../types.js").TableState} */ (this.view.state);
    const { ownSeat, perspective: one } = this.view;
    const two = 1 - one;
    const [name, other] = [this.view.nameOf(one), this.view.nameOf(two)];
    const parts = length && winner !== null ? [fill(winner === ownSeat ? words.youWinMatch : words.winsMatch, { name: this.view.nameOf(winner) })] : [];
    if (length || score?.some(Boolean)) parts.push(fill(words.matchScore, { name, points: score[one], other, others: score[two] }));
    return parts.join(" ");
  }

  get cannotMove() {
    const { state } = this.view;
    return state?.phase === "play" && !!state.tree && state.tree[0].moves.length === 0;
  }

  draw() {
    const { state, actingSeat, seats, isBusy } = this.view;
    if (!state) return;
    const focused = /** @type {HTMLElement | null} */ (document.activeElement)?.dataset?.act;
    const wasMain = this.main.contains(document.activeElement);
    this.apart.hidden = state.phase !== "response" || actingSeat === null;
    if (this.apart.hidden) this.pass.reset();
    this.diceForm.hidden = !this.typesDice;
    this.typedForm.hidden = actingSeat === null || state.phase !== "play" || this.cannotMove;
    this.typed.placeholder = this.view.game.moveHint;
    this.main.replaceChildren(...this.listMain());
    this.more.replaceChildren(...this.listMore(isBusy, seats.length > 0));
    if (!focused) return;
    const again = /** @type {HTMLElement | null} */ ([this.main, this.element].map((part) => part.querySelector(`[data-act="${focused}"]:not(:disabled)`)).find(Boolean) ?? null);
    if (again) again.focus();
    else if (wasMain) /** @type {HTMLElement | null} */ (this.main.querySelector("button:not(:disabled)") ?? this.view.boardBox.querySelector('[tabindex="0"]'))?.focus();
  }

  /** @returns {HTMLElement[]} */
  listMain() {
    const { view } = this;
    const { state, actingSeat } = view;
    if (!state) return [];
    const { request } = state;
    const make = (/** @type {string} */ act, /** @type {string} */ label, /** @type {() => void} */ onclick, /** @type {boolean} */ isMain = false, /** @type {boolean} */ disabled = false) =>
      button(label, onclick, { class: isMain ? "main big" : "big", "data-act": act, disabled });
    if (request && view.seats.length && !view.seats.includes(request.seat)) {
      return [make("agree", words.agree, () => view.act("agree"), true), make("refuse", words.refuse, () => view.act("refuse"))];
    }
    if (state.phase === "over" && view.seats.length) return [make("next", words.next, () => view.act("next"), true)];
    if (state.phase === "finished") return [h("a", { class: "button main big", href: "#/play" }, words.newGame)];
    if (actingSeat === null) return [];
    if (state.phase === "roll") {
      const double = state.cube && state.cube.owner !== null ? words.redouble : words.double;
      return [
        ...(state.cube?.may_double ? [make("double", double, () => view.decide("double"))] : []),
        ...(state.dice_source === "typed" ? [] : [make("roll", words.roll, () => view.decide("roll"), true)]),
      ];
    }
    if (state.phase === "response") {
      return [make("take", words.take, () => view.decide("take"), true),
        ...(state.cube?.may_beaver ? [make("beaver", words.beaver, () => view.decide("beaver"))] : [])];
    }
    if (state.phase === "resignation") {
      return [make("accept", words.accept, () => view.act("accept"), true), make("reject", words.reject, () => view.act("reject"))];
    }
    if (state.phase !== "play" || !view.checkerBoard) return [];
    if (this.cannotMove) return [make("play", words.goOn, () => view.act("play", { play: state.tree?.[0].play ?? "pass" }), true)];
    const board = this.view.checkerBoard;
    return [
      make("back", words.back, () => board?.undoStep(), false, !board?.path.length),
      make("done", words.done, () => view.playBoard(), true, !board || board.play === null),
    ];
  }

  /**
   * @param {boolean} isBusy
   * @param {boolean} isPlayer
   */
  listMore(isBusy, isPlayer) {
    const { view } = this;
    const { state, actingSeat } = view;
    if (!state) return [];
    const isOn = ["roll", "play", "response", "resignation"].includes(state.phase);
    const make = (/** @type {string} */ act, /** @type {string} */ label, /** @type {() => void} */ onclick, /** @type {boolean} */ enabled, className = "plain") =>
      button(label, onclick, { class: className, "data-act": act, disabled: isBusy || !enabled });
    const chosen = state.seats.find(({ kind, player, level }) => kind === "engine" && player && !level); // another than the engine at a level
    const own = isPlayer ? [
      make("undo", words.undo, () => view.act("undo"), state.can_undo),
      make("redo", words.redo, () => view.act("redo"), state.can_redo),
      ...(view.isAlone ? [
        ...(view.game.hasAdvice ? [make("hint", words.hint, () => view.hints.ask(), actingSeat !== null)] : []),
        make("move-for-me", words.moveForMe, () => view.act("hint_play"), actingSeat !== null),
        ...(chosen?.player ? [make("move-as", fill(words.moveAs, { name: nameSeat(chosen) }), () => view.act("hint_play", { player: chosen.player }), actingSeat !== null)] : []),
      ] : []),
    ] : [];
    const resign = isPlayer ? [make("resign", words.resign, () => askResignation(view), isOn && (!view.game.hasMatches || actingSeat !== null), "plain far")] : [];
    const steering = this.maySteer
      ? [make("pause", state.paused ? words.resume : words.pause, () => view.act(state.paused ? "resume" : "pause"), isOn || state.paused),
        ...(isPlayer ? [] : [this.makePace()])] : [];
    return [...own, ...steering, ...view.game.makeTools(),
      make("options", words.options, () => view.showOptions(), true), ...resign];
  }

  /** Whether this person can let engines wait, and set their pace. */
  get maySteer() {
    const { state } = this.view;
    if (!state || !state.may_pause) return false;
    const isEngine = state.seats.map(({ kind }) => kind === "engine");
    const hasKey = this.view.tokens.length > 0; // who comes from the list of public tables has none
    return isEngine.some(Boolean) && (isEngine.every(Boolean) ? hasKey : this.view.isAlone);
  }

  makePace() {
    const { view } = this;
    const now = view.state?.pace_ms ?? 700;
    const slider = h("input", { type: "range", min: 0, max: 3000, step: 100, value: 3000 - now, "aria-label": words.pace, "data-act": "pace",
      onchange: () => view.act("pace", { ms: 3000 - Number(slider.value) }) });
    return h("label", { class: "check" }, words.pace, slider);
  }

  /** Play what was typed: a whole play of the tree is shown on the board first, as if it were moved by hand. */
  async submitTyped() {
    const play = this.typed.value.trim();
    if (!play) return;
    const tree = this.view.state?.tree;
    const way = tree && wayTo(tree, (node) => node.play === play);
    const board = this.view.checkerBoard;
    if (way && board) {
      board.undoAll();
      board.walk(way);
      if (!preferences.get("confirmPlay")) {
        this.typed.value = "";
        return;
      }
    }
    if (preferences.get("tutor") && this.view.game.hasAdvice && !(await this.view.tutor.allowsPlay(play))) return;
    if (await this.view.act("play", { play })) this.typed.value = "";
  }

  async submitDice() {
    const dice = (this.dice.value.match(/[1-6]/g) ?? []).map(Number);
    if (dice.length !== 2) return this.view.say(words.typeDice, true);
    if (await this.view.act("dice", { dice })) this.dice.value = "";
  }
}
