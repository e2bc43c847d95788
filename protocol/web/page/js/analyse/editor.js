/** Setting up a position: checkers on the board by pointer and keyboard, and fields for everything else. */

import { countPips } from "../board/tree.js";
import { announce, button, checkField, choice, h, labelled } from "../dom.js";
import { fill, text } from "../text.js";
import { BAR, CHECKERS, copySetting, exchangeSides, fillBorneOff, hasCube, makeEmptySetting, makeStart } from "./xgid.js";

/** @import { PositionLine } from "./position_line.js" */
/** @import { SeatNumber } from "./xgid.js" */
/** @import { BackgammonBoard } from "../board/backgammon.js" */

const words = text.analyse.editor;
const sides = text.analyse.sides;
const CUBES = [1, 2, 4, 8, 16, 32, 64];
const LENGTHS = [0, 1, 2, 3, 4, 5, 6, 7, 9, 11, 13, 15, 17, 19, 21, 25];

/** The panel, and what presses and keys on the board mean while it is open. */
export class Editor {
  /**
   * @param {PositionLine} line
   * @param {BackgammonBoard} board
   */
  constructor(line, board) {
    this.line = line;
    this.board = board;
    this.isOpen = false;
    /** @type {SeatNumber} */
    this.brush = 1;
    /** Whether a press removes a checker, whoever's it is. */
    this.isRemoving = false;
    this.fields = this.makeFields();
    this.counts = h("p", { class: "small quiet number" });
    this.element = h("section", { class: "panel editor", "aria-label": words.name, hidden: true }, h("h2", {}, words.name),
      h("p", { class: "quiet small" }, words.help), ...this.layOut());
    this.isPressed = false;
    board.addEventListener("edit", (event) => this.pressKey(/** @type {CustomEvent} */ (event).detail));
    board.svg.addEventListener("pointerdown", (event) => this.press(event), { capture: true });
    board.svg.addEventListener("contextmenu", (event) => this.isOpen && event.preventDefault());
    board.svg.addEventListener("keydown", (event) => this.type(event));
  }

  get setting() {
    return this.line.setting;
  }

  makeFields() {
    const change = (/** @type {string} */ name) => () => this.change(name);
    const side = () => h("select", {}, ...sides.map((name, seat) => h("option", { value: seat }, name)));
    const onRoll = side();
    const fields = {
      variant: choice(Object.keys(CHECKERS).map((name) => [name, text.analyse.variants[/** @type {keyof typeof text.analyse.variants} */ (name)]]), this.line.variant),
      onRoll,
      dice: [0, 1].map(() => choice(["0", "1", "2", "3", "4", "5", "6"].map((die) => [die, die === "0" ? "–" : die]), "0")),
      cube: choice(CUBES.map((value) => [String(value), String(value)]), "1"),
      owner: choice([["", words.nobody], ["0", sides[0]], ["1", sides[1]]], ""),
      offered: h("input", { type: "checkbox" }),
      length: choice(LENGTHS.map((length) => [String(length), length ? namePoints(length) : words.money]), "0"),
      score: [0, 1].map(() => h("input", { type: "number", min: 0, max: 24, value: 0, inputmode: "numeric" })),
      crawford: h("input", { type: "checkbox" }),
      jacoby: h("input", { type: "checkbox" }),
      beavers: h("input", { type: "checkbox" }),
    };
    for (const [name, field] of Object.entries(fields)) {
      for (const each of [field].flat()) each.addEventListener("change", change(name));
    }
    return fields;
  }

  layOut() {
    const { fields } = this;
    const brushes = sides.map((name, seat) => h("label", { class: "check brush" },
      h("input", { type: "radio", name: "brush", checked: seat === this.brush, onchange: () => this.chooseBrush(/** @type {SeatNumber} */ (seat)) }),
      h("span", { class: `dot dot-${seat}`, "aria-hidden": "true" }), name));
    brushes.push(h("label", { class: "check brush" }, h("input", { type: "radio", name: "brush", onchange: () => (this.isRemoving = true) }), words.remove));
    this.matchFields = h("div", { class: "row" },
      ...fields.score.map((field, seat) => labelled(fill(words.score, { side: sides[seat] }), field)), checkField(words.crawford, fields.crawford));
    this.moneyFields = h("div", { class: "row" }, checkField(words.jacoby, fields.jacoby), checkField(words.beavers, fields.beavers));
    return [
      h("fieldset", {}, h("legend", {}, words.brush), h("div", { class: "row" }, ...brushes)),
      this.counts,
      h("div", { class: "row" },
        button(words.clear, () => this.replace(copySetting(this.setting, { checkers: makeEmptySetting(this.line.total).checkers }))),
        button(text.analyse.tools.start, () => this.replace(copySetting(this.setting, { checkers: makeStart(this.line.variant).checkers }))),
        button(words.exchange, () => this.replace(exchangeSides(this.setting)))),
      h("div", { class: "row settings" }, labelled(words.onRoll, fields.onRoll),
        h("fieldset", { class: "field" }, h("legend", {}, words.dice), h("div", { class: "row dice-fields" },
          ...fields.dice.map((field, place) => (field.setAttribute("aria-label", `${words.dice} ${place + 1}`), field)))),
        labelled(words.cube, fields.cube), labelled(words.cubeOwner, fields.owner), checkField(words.offered, fields.offered)),
      h("div", { class: "row settings" }, labelled(words.length, fields.length), this.matchFields, this.moneyFields),
      h("div", { class: "row settings" }, labelled(words.variant, fields.variant)),
    ];
  }

  /** @param {SeatNumber} seat whose checkers are added */
  chooseBrush(seat) {
    this.brush = seat;
    this.isRemoving = false;
  }

  /** @param {boolean} isOpen */
  open(isOpen) {
    this.isOpen = isOpen;
    this.element.hidden = !isOpen;
    this.update();
  }

  /** Show the position in the fields. */
  update() {
    const { fields, setting } = this;
    fields.variant.value = this.line.variant;
    fields.onRoll.value = String(setting.on_roll);
    fields.dice.forEach((field, place) => (field.value = String(setting.dice?.[place] ?? 0)));
    fields.cube.value = String(setting.cube.value);
    fields.owner.value = setting.cube.owner === null ? "" : String(setting.cube.owner);
    fields.offered.checked = setting.cube.offered;
    if (!LENGTHS.includes(setting.length) && !fields.length.querySelector(`[value="${setting.length}"]`)) {
      fields.length.append(h("option", { value: setting.length }, namePoints(setting.length)));
    }
    fields.length.value = String(setting.length);
    fields.score.forEach((field, seat) => {
      field.value = String(setting.score[seat]);
      field.max = String(Math.max(0, setting.length - 1));
    });
    fields.crawford.checked = setting.crawford;
    fields.crawford.disabled = !isCrawfordScore(setting.length, setting.score);
    for (const field of [fields.cube, fields.owner, fields.offered]) field.disabled = !hasCube(setting);
    fields.jacoby.checked = setting.jacoby;
    fields.beavers.checked = setting.beavers;
    if (this.matchFields) this.matchFields.hidden = setting.length === 0;
    if (this.moneyFields) this.moneyFields.hidden = setting.length > 0;
    this.counts.textContent = [1, 0].map((seat) =>
      fill(words.left, { side: sides[seat], pips: countPips(setting.checkers[seat]), off: setting.checkers[seat][0] })).join(" · ");
  }

  /**
   * A field was changed.
   *
   * @param {string} name
   */
  change(name) {
    const { fields, line, setting } = this;
    if (name === "variant") {
      line.begin(makeStart(fields.variant.value), fields.variant.value);
      return;
    }
    const dice = fields.dice.map((field) => Number(field.value));
    const value = Number(fields.cube.value);
    const length = Number(fields.length.value);
    const isOther = length !== setting.length;
    if (name === "dice" && dice.filter(Boolean).length === 1) return;
    const score = isOther ? [0, 0] : fields.score.map((field) => clamp(Number(field.value), 0, Math.max(0, length - 1)));
    const crawford = isCrawfordScore(length, score) && fields.crawford.checked;
    const isPlayedWithCube = hasCube({ ...setting, length, crawford });
    const owner = fields.owner.value === "" ? null : /** @type {SeatNumber} */ (Number(fields.owner.value));
    const offered = name !== "dice" && isPlayedWithCube && fields.offered.checked;
    this.replace(copySetting(setting, {
      on_roll: /** @type {SeatNumber} */ (Number(fields.onRoll.value)),
      dice: offered || name === "onRoll" || !dice[0] || !dice[1] ? null : dice,
      cube: { ...(isPlayedWithCube ? fitCube(name, value, owner, setting.on_roll) : { value: 1, owner: null }), offered },
      length,
      score,
      crawford,
      jacoby: length === 0 && (isOther || fields.jacoby.checked),
      beavers: length > 0 || isOther || fields.beavers.checked,
    }));
  }

  /** @param {import("./xgid.js").Setting} setting */
  replace(setting) {
    this.line.push(setting);
    this.update();
  }

  // The board

  /**
   * A press of the pointer: released at the same place it adds or removes, at another one it moves a checker.
   *
   * @param {PointerEvent} start
   */
  press(start) {
    const place = findPlace(start.target);
    if (!this.isOpen || !place) return;
    this.isPressed = true;
    const end = (/** @type {PointerEvent} */ event) => {
      removeEventListener("pointerup", end);
      removeEventListener("pointercancel", end);
      this.isPressed = false;
      if (event.type === "pointercancel") return;
      const goal = findPlace(document.elementFromPoint(event.clientX, event.clientY));
      if (goal && goal !== place) this.move(place, goal);
      else if (goal === place) this.add(place, this.brush, this.isRemoving || start.shiftKey || start.button === 2 ? -1 : 1);
    };
    addEventListener("pointerup", end);
    addEventListener("pointercancel", end);
  }

  /**
   * Enter, Space or the press of a screen reader on a place of the board; `press` has those of pointers.
   *
   * @param {{place: string, shift: boolean}} detail
   */
  pressKey({ place, shift }) {
    if (this.isOpen && !this.isPressed) this.add(place, this.brush, this.isRemoving || shift ? -1 : 1);
  }

  /** @param {KeyboardEvent} event */
  type(event) {
    const place = findPlace(event.target);
    if (!this.isOpen || !place || event.ctrlKey || event.metaKey || event.altKey) return;
    const count = this.count(place, this.brush);
    if (event.key === "+") this.add(place, this.brush, 1);
    else if (["-", "Delete", "Backspace"].includes(event.key)) this.add(place, this.brush, -1);
    else if (/^[0-9]$/.test(event.key)) this.add(place, this.brush, Number(event.key) - count);
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  /**
   * @param {string} place
   * @param {SeatNumber} seat
   */
  count(place, seat) {
    const point = this.pointOf(place, seat);
    return point === null ? 0 : this.setting.checkers[seat][point];
  }

  /**
   * @param {string} place
   * @param {SeatNumber} seat
   */
  pointOf(place, seat) {
    const point = this.board.pointOf(/** @type {any} */ (place), seat);
    return point === 0 ? null : point;
  }

  /**
   * Add checkers of a side at a place, or remove some; those of the other side go.
   *
   * @param {string} place
   * @param {SeatNumber} brush
   * @param {number} change
   */
  add(place, brush, change) {
    const theirs = this.count(place, /** @type {SeatNumber} */ (1 - brush));
    const seat = /** @type {SeatNumber} */ ((change < 0 && theirs > 0) || this.pointOf(place, brush) === null ? 1 - brush : brush);
    const point = this.pointOf(place, seat);
    if (point === null) return;
    const setting = copySetting(this.setting);
    const side = setting.checkers[seat];
    const room = side[point] + side[0];
    side[point] = clamp(side[point] + change, 0, room);
    if (change > 0 && point !== BAR) setting.checkers[1 - seat][BAR - point] = 0;
    this.finish(setting, place, seat, point);
  }

  /**
   * Move one checker, whoever's is there.
   *
   * @param {string} from
   * @param {string} to
   */
  move(from, to) {
    const seat = /** @type {SeatNumber} */ (this.count(from, this.brush) ? this.brush : 1 - this.brush);
    const [start, goal] = [this.pointOf(from, seat), this.board.pointOf(/** @type {any} */ (to), seat)];
    if (start === null || !this.count(from, seat)) return;
    const setting = copySetting(this.setting);
    setting.checkers[seat][start] -= 1;
    if (goal !== null && goal > 0) {
      setting.checkers[seat][goal] += 1;
      if (goal !== BAR) setting.checkers[1 - seat][BAR - goal] = 0;
    }
    this.finish(setting, to, seat, goal ?? 0);
  }

  /**
   * @param {import("./xgid.js").Setting} setting
   * @param {string} place
   * @param {SeatNumber} seat
   * @param {number} point
   */
  finish(setting, place, seat, point) {
    fillBorneOff(setting, this.line.total);
    this.replace(setting);
    const name = point === BAR ? text.board.bar : point === 0 ? text.board.offPlace : this.board.numberOf(/** @type {any} */ (place));
    announce(fill(words.set, { side: sides[seat], count: setting.checkers[seat][point], place: name }));
  }
}

/**
 * The place of the board that an element is, `p1` to `p24`, bars and trays.
 *
 * @param {EventTarget | null} target
 */
function findPlace(target) {
  return target instanceof Element ? target.closest("[data-place]")?.getAttribute("data-place") ?? null : null;
}

/** @param {number} points the length of a match */
function namePoints(points) {
  return points === 1 ? words.point : fill(words.points, { points });
}

/**
 * A cube in the middle is at 1, one above 1 has an owner: the field that was changed wins.
 *
 * @param {string} changed
 * @param {number} value
 * @param {SeatNumber | null} owner
 * @param {SeatNumber} onRoll
 */
function fitCube(changed, value, owner, onRoll) {
  if (changed === "owner") return owner === null ? { value: 1, owner } : { value: Math.max(2, value), owner };
  return value === 1 ? { value, owner: null } : { value, owner: owner ?? onRoll };
}

/**
 * Whether exactly one side is one point from the match.
 *
 * @param {number} length
 * @param {number[]} score
 */
function isCrawfordScore(length, score) {
  return length > 1 && score.filter((points) => points === length - 1).length === 1;
}

/**
 * The nearest whole number within bounds.
 *
 * @param {number} value
 * @param {number} low
 * @param {number} high
 */
function clamp(value, low, high) {
  return Math.min(high, Math.max(low, Math.round(value) || 0));
}
