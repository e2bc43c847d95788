/** The page of a table: what the server says is shown, what the person does is sent. */

import { parsePlay } from "../analyse/plays.js";
import { countPips } from "../board/tree.js";
import { announce, button, h } from "../dom.js";
import { findGame } from "../games.js";
import { preferences } from "../preferences.js";
import { download } from "../server.js";
import { ServerError } from "../socket.js";
import { fill, text } from "../text.js";
import { askName } from "./arrival.js";
import { AutomaticMoves } from "./automatic.js";
import { Controls } from "./controls.js";
import { showEnd, showOptions } from "./dialogs.js";
import { DiceSeeds } from "./dice_seeds.js";
import { canCheckDice } from "./fair_dice.js";
import { HintPanel } from "./hint_panel.js";
import { HistoryList } from "./history_list.js";
import { listenToKeys } from "./keys.js";
import { findTable, keepTable, markOver, tableHash } from "./known_tables.js";
import { PlayerBar } from "./player_bar.js";
import { nameDice, nameKind, namePlay, nameSeat } from "./names.js";
import { SidePanels } from "./side_panels.js";
import { playSound } from "./sounds.js";
import { Tutor } from "./tutor.js";
import { setWaiting } from "../waits.js";

/** @import { Context } from "../main.js" */
/** @import { Entry, TableState } from "../types.js" */

const words = text.table;
const HINT_MS = 5000;

/**
 * @param {HTMLElement} main
 * @param {string[]} parts table, keys with commas between them, and `invited` on the link of an open seat
 * @param {Context} context
 */
export async function open(main, [table, keys = "", invited], context) {
  const tokens = keys.split(",").filter(Boolean);
  const known = findTable(table);
  const name = invited && !known ? await askName(main, context, table, tokens) : preferences.get("name");
  const isOwn = known && (known.invitation === keys || !tokens.length);
  const view = new TableView(main, table, isOwn ? known.tokens : tokens, context);
  await view.join(name);
  return view;
}

/** One table, as one person sees it. */
export class TableView {
  /**
   * @param {HTMLElement} main
   * @param {string} table
   * @param {string[]} tokens
   * @param {Context} context
   */
  constructor(main, table, tokens, context) {
    this.context = context;
    this.table = table;
    this.tokens = tokens;
    /** @type {number[]} */
    this.seats = [];
    /** @type {TableState | null} */
    this.state = null;
    /** @type {Entry[]} */
    this.history = [];
    this.diceSeeds = new DiceSeeds(table);
    this.isSwapped = false;
    this.isBusy = false;
    /** Whether the engine has told what it would do now: what is done then is not the person's own. */
    this.isAdvised = false;
    /** The offer that waits for an answer. */
    this.offer = "";
    /** @type {boolean | undefined} */
    this.isOver = undefined;
    /** @type {import("../games.js").TableBoard | null} */
    this.board = null;
    /** @type {import("../types.js").Arrow[]} */
    this.arrows = [];
    /** @type {number | undefined} */
    this.hintTimer = undefined;
    this.boardBox = h("div", { class: "board-box" });
    this.bars = [new PlayerBar(), new PlayerBar()];
    this.controls = new Controls(this);
    this.historyList = new HistoryList(this);
    this.hints = new HintPanel(this);
    this.tutor = new Tutor(this);
    this.automatic = new AutomaticMoves(this);
    this.panels = new SidePanels(this);
    this.message = h("p", { class: "message", id: "message" }, words.joining);
    main.append(h("h1", { class: "unseen" }, text.app.play), h("div", { class: "table" },
      h("div", { class: "table-board" }, this.panels.invitation, this.bars[1].element, this.boardBox, this.bars[0].element,
        h("div", { class: "now" }, this.message, this.controls.main), this.controls.apart, this.tutor.element, this.controls.element),
      h("aside", { class: "table-side" }, this.hints.element, this.historyList.element, this.panels.element)));
    this.stopKeys = listenToKeys(this);
    this.onPreference = () => this.draw();
    preferences.addEventListener("change", this.onPreference);
    this.clockTimer = setInterval(() => this.drawClocks(), 250);
  }

  /** @param {string} name */
  async join(name) {
    /** @type {{token: string[], name: string, seed_commitment?: string}} */
    const fields = { token: this.tokens, name };
    if (canCheckDice()) fields.seed_commitment = await this.diceSeeds.add();
    this.context.tables.follow(this.table, {
      fields,
      onJoined: (answer) => {
        this.seats = answer.seats;
        delete fields.seed_commitment; // it counts for one secret
        this.message.classList.remove("failure");
        this.keepKeys(answer.tokens, fields);
        this.draw();
      },
      onEvent: (event) => this.receive(event),
      onFailure: (error) => this.fail(error),
    });
  }

  /**
   * Keep the keys of this table; who took an open seat has got a new one.
   *
   * @param {(string | null)[] | undefined} given
   * @param {{token: string[]}} fields of the next `join`
   */
  keepKeys(given, fields) {
    const fresh = (given ?? []).filter(Boolean);
    if (fresh.length) {
      this.tokens = fields.token = /** @type {string[]} */ (fresh);
      history.replaceState(null, "", tableHash(this.table, this.tokens));
    }
    keepTable({ table: this.table, tokens: this.tokens, isSeat: this.seats.length > 0 });
  }

  /** @param {Error} error */
  fail(error) {
    if (error instanceof ServerError && error.field === "table") this.noteOver(true);
    this.message.textContent = fill(words.failed, { reason: error.message });
    this.message.classList.add("failure");
    if (error instanceof ServerError && error.field === "log") {
      this.message.append(" ", button(words.saveLost, () => this.saveLost()));
    }
  }

  /** Save what was played at a table that the server could not set up again. */
  async saveLost() {
    try {
      const { text: record } = await this.context.tables.request("record", { table: this.table, token: this.tokens });
      download(new Blob([record], { type: "text/plain" }), `gammond-${this.table}.txt`);
    } catch (error) {
      this.message.textContent = /** @type {Error} */ (error).message;
    }
  }

  close() {
    this.context.tables.leave(this.table);
    setWaiting(this, false);
    preferences.removeEventListener("change", this.onPreference);
    clearInterval(this.clockTimer);
    clearTimeout(this.hintTimer);
    this.stopKeys();
    this.automatic.stop();
    for (const dialog of document.querySelectorAll("dialog")) dialog.remove();
  }

  // What the server says

  /** @param {any} event */
  receive(event) {
    const { kind, state, entry, text: said } = event;
    if (state.history) this.history = state.history;
    else if (kind === "start") this.history = [];
    else if (kind === "undo" || kind === "go_back") this.history = this.history.slice(0, -Number(said));
    else if (kind === "redo") this.refetch();
    if (entry) this.history = [...this.history.slice(0, entry.n - 1), entry];
    if (entry || state.history) this.isAdvised = false;
    if (state.clock) state.clock.at = performance.now(); // of this browser, not of the server
    this.state = state;
    this.noteOffer(state);
    setWaiting(this, state.to_act !== null && state.seats[state.to_act].kind === "engine");
    this.arrows = [];
    this.noteOver(state.phase === "finished" || kind === "ended");
    if (state.fair) this.sendSeeds(state);
    this.hints.clear();
    this.tutor.clear();
    this.draw();
    this.tell(event);
    const isForMe = this.seats.length > 0 || state.phase === "finished"; // between games of others the board is what is looked at
    if (isForMe && (kind === "over" || (kind === "state" && state.result))) showEnd(this);
    else if (!state.result) document.querySelector("dialog.end")?.remove();
    this.automatic.consider();
  }

  /**
   * Commit to seeds for the dice that come next, and tell those that are awaited.
   *
   * @param {TableState} state
   */
  async sendSeeds({ fair, game_number: number }) {
    if (!fair || !canCheckDice()) return;
    for (const act of await this.diceSeeds.answer(fair, this.seats, number > 0)) {
      this.context.tables.request("act", { table: this.table, ...act }).catch(() => {}); // too late: then it counts as none
    }
  }

  /**
   * Note a double, a resignation or a request that has come: buttons answer it that were not there before.
   *
   * @param {TableState} state
   */
  noteOffer(state) {
    const { phase, request, to_act: seat } = state;
    const isOffered = request || phase === "response" || phase === "resignation";
    const offer = isOffered ? [phase, seat, request?.what, this.history.length].join(" ") : "";
    if (offer && offer !== this.offer) this.controls.noteOffer();
    this.offer = offer;
  }

  /** @param {boolean} isOver whether nothing more is played here */
  noteOver(isOver) {
    if (isOver !== this.isOver) markOver(this.table, isOver);
    this.isOver = isOver;
  }

  /** Ask for the whole state again. */
  refetch() {
    this.context.tables.request("join", { table: this.table, token: this.tokens }).catch(() => {});
  }

  /**
   * Say an event in words and by sound.
   *
   * @param {any} event
   */
  tell({ kind, seat, text: said, entry, state }) {
    const isRoll = kind === "roll" || kind === "dice";
    const isOpening = isRoll && seat === null;
    const name = nameSeat(state.seats[isOpening ? state.to_act : seat]);
    const pattern = /** @type {Record<string, string>} */ (words.says)[isOpening ? "opening" : isRoll ? "roll" : entry ? nameKind(entry) : kind];
    if (pattern) announce(fill(pattern, { name, dice: nameDice(entry?.dice ?? state.dice ?? []), text: namePlay(said) }));
    if (isRoll) playSound("roll");
    else if (kind === "play") playSound("move");
    else if (kind === "double" || kind === "take" || kind === "beaver") playSound("cube");
    else if (kind === "over") playSound("end");
  }

  // What the person may do

  /** The seat for which this person can act now; null for none. */
  get actingSeat() {
    const state = this.state;
    if (!state || this.isBusy) return null;
    return state.to_act !== null && this.seats.includes(state.to_act) ? state.to_act : null;
  }

  /** Whether nobody else plays here: then hints are fair. */
  get isAlone() {
    return !!this.state && this.state.seats.every(({ kind }, seat) => kind === "engine" || this.seats.includes(seat));
  }

  /** The game that is played here. */
  get game() {
    return findGame(this.state?.game);
  }

  /**
   * The name of a seat; empty for none.
   *
   * @param {number | null} seat
   */
  nameOf(seat) {
    return nameSeat(this.state?.seats[seat ?? NaN]);
  }

  /** The board, where it has checkers and dice; null for that of another game. */
  get checkerBoard() {
    return this.board?.checkerBoard ?? null;
  }

  /** The only seat that is held here; null for none and for both. */
  get ownSeat() {
    return this.seats.length === 1 ? this.seats[0] : null;
  }

  /** The seat whose side is below. */
  get perspective() {
    const own = this.ownSeat ?? 0;
    return /** @type {0 | 1} */ (this.isSwapped ? 1 - own : own);
  }

  /**
   * Send an action; what the server refuses is said.
   *
   * @param {string} act
   * @param {Record<string, any>} [fields]
   */
  async act(act, fields = {}) {
    const seat = this.actingSeat ?? this.seats[0];
    this.isBusy = true;
    this.controls.draw();
    try {
      await this.context.tables.request("act", {
        table: this.table, act, ...(seat === undefined ? {} : { seat }), ...(this.isAdvised ? { help: true } : {}), ...fields,
      });
      this.isBusy = false;
      this.draw();
      this.automatic.consider();
      return true;
    } catch (error) {
      this.isBusy = false;
      this.draw();
      this.say(/** @type {Error} */ (error).message, true);
      return false;
    }
  }

  /** Play what was moved on the board, if it is a whole play. */
  async playBoard() {
    const play = this.checkerBoard?.play ?? null;
    if (play !== null && this.actingSeat !== null) await this.play(play);
  }

  /**
   * Play, once the tutor has nothing to say.
   *
   * @param {string} play
   */
  async play(play) {
    if (preferences.get("tutor") && !(await this.tutor.allowsPlay(play))) return;
    await this.act("play", { play });
  }

  /**
   * Roll, double, take or drop, once the tutor has nothing to say.
   *
   * @param {"roll" | "double" | "take" | "drop" | "beaver"} act
   */
  async decide(act) {
    if (preferences.get("tutor") && !(await this.tutor.allowsCube(act))) return;
    await this.act(act);
  }

  showOptions() {
    showOptions(this);
  }

  // Drawing

  draw() {
    const { state } = this;
    if (!state) return;
    this.drawBoard(state);
    this.drawBars();
    this.say(this.controls.describe());
    this.controls.draw();
    this.historyList.draw();
    this.panels.draw();
    this.hints.draw();
  }

  drawBars() {
    const { state } = this;
    if (!state) return;
    for (const [index, bar] of this.bars.entries()) {
      const seat = index === 0 ? this.perspective : 1 - this.perspective;
      bar.show(state, seat, seat === this.ownSeat, this.pipsOf(seat), this.findLast(seat));
    }
    this.drawClocks();
  }

  /**
   * The pips as the board shows them, also while checkers are moved.
   *
   * @param {number} seat
   */
  pipsOf(seat) {
    if (!this.state?.pips) return null;
    return this.checkerBoard ? countPips(this.checkerBoard.checkers[seat]) : this.state.pips[seat];
  }

  /**
   * The last thing that a seat did in this game.
   *
   * @param {number} seat
   */
  findLast(seat) {
    return this.history.filter((entry) => entry.seat === seat && entry.kind !== "roll" && entry.kind !== "dice").at(-1);
  }

  /** The play that is marked on the board: the last one, unless it is this person's own. */
  get lastPlay() {
    const entry = this.history.filter(({ kind }) => kind === "play").at(-1);
    return entry && entry.seat !== this.ownSeat ? { seat: entry.seat, moves: parsePlay(entry.text) } : null;
  }

  /** @param {TableState} state */
  drawBoard(state) {
    this.boardBox.classList.toggle("square", this.game.isSquare);
    this.board ??= this.game.makeBoard(this);
    this.board.draw(state);
  }

  /**
   * Say something for a moment in place of what is to be done.
   *
   * @param {string} sentence
   */
  hint(sentence) {
    this.say(sentence);
    this.message.classList.add("hinted");
    announce(sentence);
    clearTimeout(this.hintTimer);
    this.hintTimer = setTimeout(() => this.say(this.controls.describe()), HINT_MS);
  }

  /** @param {import("../types.js").Arrow[]} arrows */
  showArrows(arrows) {
    this.arrows = arrows;
    if (this.state) this.drawBoard(this.state);
  }

  drawClocks() {
    for (const bar of this.bars) bar.drawClock();
  }

  /**
   * Write below the board what is to be done.
   *
   * @param {string} message
   * @param {boolean} [isFailure]
   */
  say(message, isFailure = false) {
    if (this.message.textContent !== message) this.message.textContent = message;
    clearTimeout(this.hintTimer);
    this.message.classList.remove("hinted");
    this.message.classList.toggle("failure", isFailure);
    if (isFailure) announce(message);
  }
}
