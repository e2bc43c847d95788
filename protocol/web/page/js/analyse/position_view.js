/** One position: the board with its tools, what the engine thinks of it, and what it asks meanwhile. */

import { announce, button, form, h } from "../dom.js";
import { BackgammonBoard } from "../board/backgammon.js";
import { describeServer, markMissing } from "../description.js";
import { fill, text } from "../text.js";
import { AdvicePanels } from "./advice_panels.js";
import { copyText } from "./clipboard.js";
import { Editor } from "./editor.js";
import { EvaluationBar } from "./evaluation_bar.js";
import { describeFailure } from "./failures.js";
import { classify } from "./numbers.js";
import { parsePlay } from "./plays.js";
import { Questions } from "./questions.js";
import { describeEnd, describeEnding, describeTurn } from "./setting_words.js";
import { formatXgid, toBoardState } from "./xgid.js";

/** @import { PositionLine } from "./position_line.js" */
/** @import { LineSocket } from "../socket.js" */
/** @import { ListedPlay } from "./play_list.js" */

const words = text.analyse;

/** The view of a line of positions. */
export class PositionView {
  /**
   * @param {HTMLElement} parent
   * @param {PositionLine} line
   * @param {LineSocket} socket
   * @param {(file: File) => void} openFile opens the match of a file
   */
  constructor(parent, line, socket, openFile) {
    this.line = line;
    this.socket = socket;
    this.openFile = openFile;
    /** @type {import("../types.js").TreeNode[] | null} */
    this.tree = null;
    /** @type {ListedPlay | null} */
    this.looked = null;
    this.isFlipped = false;
    /** @type {number | undefined} */
    this.typed = undefined;
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    this.typing = undefined;
    this.bar = new EvaluationBar();
    this.boardBox = h("div", { class: "board-box" });
    this.message = h("p", { class: "failure", role: "alert", hidden: true });
    this.facts = h("p", { class: "small quiet position-facts" });
    this.tools = h("div", { class: "row tools" });
    this.lineBox = h("nav", { class: "line-of-moves", "aria-label": words.line.name });
    this.panels = new AdvicePanels(this);
    this.board = new BackgammonBoard(this.boardBox);
    this.editor = new Editor(line, this.board);
    describeServer(socket).then(({ missing = {} }) => markMissing(this.editor.fields.variant, words.variants, missing)).catch(() => {}); // all are offered
    parent.append(h("div", { class: "analysis" },
      h("div", { class: "analysis-left" }, this.bar.element, this.boardBox, this.facts, this.message, this.tools, this.lineBox, this.editor.element, this.makePaste()),
      h("div", { class: "analysis-right" }, this.panels.element)));
    this.listen();
    this.update();
  }

  get questions() {
    return new Questions(this.socket, this.line.variant);
  }

  get setting() {
    return this.line.setting;
  }

  listen() {
    this.changed = () => this.update();
    this.line.addEventListener("change", this.changed);
    this.board.addEventListener("step", () => (this.drawBoard(), this.drawTools()));
    this.board.addEventListener("dice", () => (this.setting.dice ? this.finishByHand() : this.roll()));
    this.boardBox.addEventListener("keydown", (event) => this.pressKey(event));
  }

  close() {
    this.line.removeEventListener("change", /** @type {() => void} */ (this.changed));
    this.panels.close();
  }

  /** Show the position of the line, and ask about it. */
  update() {
    this.tree = null;
    this.looked = null;
    this.say("");
    history.replaceState(null, "", `#/analyse/${this.line.address}`);
    this.bar.clear();
    this.drawBoard();
    this.drawTools();
    this.facts.textContent = describeTurn(this.setting, words.sides);
    this.lineBox.replaceChildren(...this.drawLine());
    this.editor.update();
    this.panels.update();
    this.fetchTree();
  }

  drawBoard() {
    const { setting, looked } = this;
    const isEditable = this.editor?.isOpen ?? false;
    const arrows = looked && !this.board.path.length && !isEditable ? [{ moves: parsePlay(looked.play), className: classify(looked.loss), seat: setting.on_roll }] : [];
    this.boardBox.classList.toggle("editor-open", isEditable);
    this.board.show(toBoardState(setting), {
      perspective: this.isFlipped ? 0 : 1, numbering: setting.on_roll, tree: isEditable ? null : this.tree, arrows, editable: isEditable,
      rollable: !isEditable && !setting.dice && !setting.cube.offered && !this.end,
    });
  }

  drawTools() {
    const { line, setting } = this;
    const byHand = this.board.path.length ? [
      button(words.tools.undoMoves, () => this.board.undoStep()),
      button(words.tools.done, () => this.finishByHand(), { class: "main", disabled: this.board.play === null }),
    ] : [];
    const dice = setting.cube.offered || this.end ? [] : setting.dice
      ? [button(words.tools.noDice, () => line.alter({ dice: null }))] : [button(words.tools.roll, () => this.roll())];
    const focused = [...this.tools.children].indexOf(/** @type {Element} */ (document.activeElement));
    this.tools.replaceChildren(...byHand,
      button(`\u21b6 ${words.line.undo}`, () => line.undo(), { disabled: !line.canUndo }),
      button(`\u21b7 ${words.line.redo}`, () => line.redo(), { disabled: !line.canRedo }),
      ...dice,
      button(words.tools.setUp, () => this.toggleEditor(), { "aria-pressed": String(this.editor?.isOpen ?? false) }),
      button(words.tools.flip, () => this.flip()),
      button(words.tools.share, () => copyText(this.link, words.tools.copied, this.message)),
      button(words.tools.copyId, () => copyText(formatXgid(setting), words.tools.copiedId, this.message)));
    if (focused >= 0) /** @type {HTMLElement | undefined} */ (this.tools.children[focused])?.focus();
  }

  /** Links to the positions of the line: one for each play; neighbours that were set up are one. */
  drawLine() {
    const { steps, at } = this.line;
    const shown = steps.map((step, place) => ({ step, place })).filter(({ step, place }) => !step.isSetUp || !steps[place + 1]?.isSetUp);
    if (shown.length < 2) return [];
    const current = shown.find(({ place }) => place >= at)?.place;
    return [h("ol", {}, ...shown.map(({ step, place }) => h("li", {}, h("button", {
      type: "button", class: "step", "aria-current": place === current && "step", onclick: () => this.line.goTo(place),
    }, step.label || words.line.setUp))))];
  }

  makePaste() {
    const field = h("textarea", { rows: 2, class: "grow", spellcheck: "false", autocomplete: "off", placeholder: words.paste.hint });
    const open = () => {
      if (!field.value.trim()) return this.say(words.paste.empty);
      this.openText(field.value).then((found) => found && (field.value = ""));
    };
    return form({ class: "panel paste" }, open,
      h("label", { class: "field" }, words.paste.label, field), h("button", { type: "submit" }, words.paste.open));
  }

  get link() {
    return `${location.origin}${location.pathname}#/analyse/${this.line.address}`;
  }

  /**
   * Open a position that somebody pasted, or a match.
   *
   * @param {string} words_
   * @returns {Promise<boolean>} whether it is a position
   */
  async openText(words_) {
    if (words_.trim().split("\n").length > 2 || /^\s*\(;/.test(words_)) {
      this.openFile(new File([words_], words.match.pastedName, { type: "text/plain" }));
      return false;
    }
    try {
      this.line.push(await this.questions.readPosition(words_));
      return true;
    } catch (error) {
      this.fail(error);
      return false;
    }
  }

  /**
   * Carry out a play or cube action, and go on behind it.
   *
   * @param {string} play
   * @param {string} [label]
   */
  async make(play, label = play) {
    const { setting, line } = this;
    try {
      const { setting: next, result } = await this.questions.play(setting, play);
      if (line.setting !== setting) return;
      const dice = setting.dice ? `${setting.dice.join("")}: ` : "";
      if (!result || setting.dice) line.push(next, `${dice}${label}`); // whoever passes leaves the checkers where they are
      announce(label);
      if (result) this.say(describeEnding(setting, result, words.sides), false);
    } catch (error) {
      this.fail(error);
    }
  }

  async roll() {
    const { setting, line } = this;
    try {
      const next = await this.questions.roll(setting);
      if (line.setting === setting) line.push(next, "");
      announce(fill(text.board.dice, { dice: next.dice?.join("-") ?? "" }));
    } catch (error) {
      this.fail(error);
    }
  }

  /** Why nothing is to be decided; empty while the game goes on. */
  get end() {
    return describeEnd(this.setting, words.sides);
  }

  finishByHand() {
    if (this.board.play !== null) this.make(this.board.play);
  }

  /** Ask how checkers can be moved by hand. */
  async fetchTree() {
    const { setting } = this;
    if (!setting.dice || this.end) return;
    try {
      const tree = await this.questions.askTree(setting);
      if (this.setting !== setting) return;
      this.tree = tree;
      this.drawBoard();
    } catch {
      // The list of plays says what is wrong.
    }
  }

  /** @param {ListedPlay | null} listed a play to draw; null for none */
  look(listed) {
    if (listed?.play === this.looked?.play && listed?.loss === this.looked?.loss) return;
    this.looked = listed;
    this.drawBoard();
  }

  toggleEditor() {
    this.editor.open(!this.editor.isOpen);
    this.drawBoard();
    this.drawTools();
  }

  flip() {
    this.isFlipped = !this.isFlipped;
    this.drawBoard();
    this.panels.redraw();
  }

  /**
   * @param {string} message
   * @param {boolean} [isFailure]
   */
  say(message, isFailure = true) {
    this.message.hidden = !message;
    this.message.classList.toggle("failure", isFailure);
    this.message.textContent = message;
  }

  /** @param {unknown} error */
  fail(error) {
    this.say(describeFailure(error));
  }

  /** @param {KeyboardEvent} event */
  pressKey(event) {
    if (event.altKey || (event.shiftKey && event.key !== "Z")) return;
    const isControl = event.ctrlKey || event.metaKey;
    if (isControl && event.key.toLowerCase() === "z") event.shiftKey ? this.line.redo() : this.line.undo();
    else if (isControl || this.editor.isOpen) return;
    else if (event.key === "Enter" && this.board.play !== null) this.finishByHand();
    else if (/^[1-6]$/.test(event.key) && !this.board.path.length) this.typeDie(Number(event.key));
    else if (event.key === "r" && !this.setting.dice && !this.end) this.roll();
    else return;
    event.preventDefault();
  }

  /** @param {number} die the first of two typed dice, or the second */
  typeDie(die) {
    const first = this.typed;
    this.typed = first === undefined ? die : undefined;
    clearTimeout(this.typing);
    if (first !== undefined) this.line.alter({ dice: [first, die] });
    else this.typing = setTimeout(() => (this.typed = undefined), TYPING_MS);
  }
}

const TYPING_MS = 1500;
