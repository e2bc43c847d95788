/** A board of Barca as an SVG image: ten files and ranks, animals as signs. It knows no rules: moves come as a list. */

import { announce, h, s } from "../dom.js";
import { preferences } from "../preferences.js";
import { fill, text as pageText, wordFor } from "../text.js";
import { followPointer } from "../board/dragging.js";

/** @import { Piece, PieceMove } from "../types.js" */

const CELL = 60;
const EDGE = 34;
const SIZE = 10;
const SIDE = SIZE * CELL + 2 * EDGE;
const FILES = "abcdefghij";

/** Outlines of the animals in a square of 40 by 40 around the middle. */
const SIGNS = {
  mouse: "M-13 9c-5 0-6-5-2-5 1-8 7-11 13-10l2-6c3-3 7-1 7 3 4 1 7 5 9 9-2 5-7 8-13 8h-16zM9-1h.1",
  lion: "M0-17l5 4 6-2 1 6 6 3-3 6 3 6-6 3-1 6-6-1-5 4-5-4-6 1-1-6-6-3 3-6-3-6 6-3 1-6 6 2zM-8-2a8 8 0 1 0 16 0a8 8 0 1 0-16 0M-3-3h.1M3-3h.1M-3 3q3 2 6 0",
  elephant: "M-17 12v-13c0-9 6-13 13-13h5c8 0 14 4 15 12 1 5-1 9 2 12-5 1-8-1-8-6l-1-3c-2 3-4 4-6 4v7h-6v-6h-7v6zM9-5h.1M-1-12c4 3 5 8 2 13",
};

/** Events: `move` (detail: the move that was chosen), `change` (something was picked up or put back),
 * `refuse` (an animal was pressed that cannot move; detail: `square`). */
export class BarcaBoard extends EventTarget {
  /**
   * @param {HTMLElement} parent
   * @param {{text?: typeof pageText}} [options]
   */
  constructor(parent, { text = pageText } = {}) {
    super();
    this.words = text.barca;
    this.svg = s("svg", { class: "board barca", viewBox: `0 0 ${SIDE} ${SIDE}`, role: "group", "aria-label": this.words.board });
    parent.append(this.svg);
    /** @type {Piece[]} */
    this.pieces = [];
    /** @type {PieceMove[]} */
    this.legal = [];
    /** @type {string[]} */
    this.holes = [];
    /** @type {string | null} */
    this.picked = null;
    this.focused = "e1";
    this.isFlipped = false;
    /** @type {Map<string, SVGGElement>} */
    this.signs = new Map();
    this.drawStill();
    this.listen();
  }

  /**
   * @param {{pieces?: Piece[], holes?: string[], legal?: PieceMove[] | null, last_move?: string | null}} state
   * @param {{perspective?: 0 | 1, arrows?: {from: string, to: string}[]}} [options]
   */
  show(state, { perspective = 0, arrows = [] } = {}) {
    this.pieces = state.pieces ?? [];
    this.legal = state.legal ?? [];
    this.holes = state.holes ?? [];
    this.arrows = arrows;
    this.last = state.last_move ?? null;
    if (!this.legal.some(({ from }) => from === this.picked)) this.picked = null;
    if (this.isFlipped !== (perspective === 1)) {
      this.isFlipped = perspective === 1;
      this.drawStill();
    }
    this.draw();
  }

  /** @param {string} square */
  place(square) {
    const [file, rank] = [FILES.indexOf(square[0]), Number(square.slice(1)) - 1];
    const [column, row] = this.isFlipped ? [SIZE - 1 - file, rank] : [file, SIZE - 1 - rank];
    return { x: EDGE + (column + 0.5) * CELL, y: EDGE + (row + 0.5) * CELL };
  }

  /**
   * The square under a place of the image.
   *
   * @param {{x: number, y: number}} place
   */
  squareAt({ x, y }) {
    const [column, row] = [Math.floor((x - EDGE) / CELL), Math.floor((y - EDGE) / CELL)];
    if (column < 0 || row < 0 || column >= SIZE || row >= SIZE) return null;
    return this.isFlipped ? `${FILES[SIZE - 1 - column]}${row + 1}` : `${FILES[column]}${SIZE - row}`;
  }

  drawStill() {
    const [still, marks, targets, pieces, arrows] = ["still", "marks", "targets", "pieces", "arrows"].map((name) => s("g", { class: name }));
    for (const layer of [still, marks, pieces, arrows]) layer.setAttribute("aria-hidden", "true");
    this.marks = marks;
    this.pieceLayer = pieces;
    this.arrowLayer = arrows;
    still.append(s("rect", { class: "b-frame", x: 1, y: 1, width: SIDE - 2, height: SIDE - 2, rx: 14 }));
    /** @type {Map<string, SVGRectElement>} */
    this.targets = new Map();
    for (let index = 0; index < SIZE * SIZE; index++) {
      const square = `${FILES[index % SIZE]}${Math.floor(index / SIZE) + 1}`;
      const { x, y } = this.place(square);
      const box = { x: x - CELL / 2, y: y - CELL / 2, width: CELL, height: CELL };
      const isDark = (index + Math.floor(index / SIZE)) % 2 === 0;
      still.append(s("rect", { class: isDark ? "b-square dark" : "b-square", ...box }));
      const target = s("rect", { class: "target", ...box, role: "button", tabindex: -1, "data-square": square });
      this.targets.set(square, target);
      targets.append(target);
    }
    for (let index = 0; index < SIZE; index++) {
      const column = this.place(`${FILES[index]}1`).x;
      const row = this.place(`a${index + 1}`).y;
      still.append(
        ...[EDGE / 2, SIDE - EDGE / 2].map((y) => s("text", { class: "b-number", x: column, y }, FILES[index])),
        ...[EDGE / 2, SIDE - EDGE / 2].map((x) => s("text", { class: "b-number", x, y: row }, index + 1)));
    }
    this.signs.clear();
    this.svg.replaceChildren(still, marks, targets, pieces, arrows);
  }

  get showsMoves() {
    return preferences.get("showMoves");
  }

  /** Where the animal that is picked up can go, and where it fears to be; nothing where that is not shown. */
  findGoals() {
    const goals = this.legal.filter(({ from }) => from === this.picked).map(({ to }) => to);
    const piece = goals.length ? this.pieces.find(({ at }) => at === this.picked) : null;
    const feared = (piece?.feared ?? []).filter((square) => !goals.includes(square));
    return this.showsMoves ? { goals, feared } : { goals: [], feared: [] };
  }

  draw() {
    this.svg.classList.toggle("in-hand", this.legal.length > 0);
    this.drawMarks();
    this.drawPieces();
    this.label();
    this.arrowLayer?.replaceChildren(...(this.arrows ?? []).map(({ from, to }) => {
      const [start, end] = [this.place(from), this.place(to)];
      return s("line", { class: "arrow best", x1: start.x, y1: start.y, x2: end.x, y2: end.y });
    }));
  }

  drawMarks() {
    const marks = this.holes.map((hole) => {
      const { x, y } = this.place(hole);
      return s("circle", { class: "b-hole", cx: x, cy: y, r: 25 });
    });
    for (const square of (this.last ?? "").match(/[a-j]\d+/g) ?? []) {
      const { x, y } = this.place(square);
      marks.push(/** @type {any} */ (s("rect", { class: "b-last", x: x - 28, y: y - 28, width: 56, height: 56, rx: 6 })));
    }
    for (const { at, scared, trapped } of this.pieces) {
      if (!scared) continue;
      const { x, y } = this.place(at);
      marks.push(/** @type {any} */ (s("rect", { class: trapped ? "b-scared trapped" : "b-scared", x: x - 28, y: y - 28, width: 56, height: 56, rx: 6 })));
    }
    const { goals, feared } = this.findGoals();
    for (const goal of goals) {
      const { x, y } = this.place(goal);
      marks.push(/** @type {any} */ (s("rect", { class: "b-valid", x: x - 27, y: y - 27, width: 54, height: 54, rx: 6 })),
        s("circle", { class: "mark legal", cx: x, cy: y, r: 9 }));
    }
    for (const square of feared) {
      const { x, y } = this.place(square);
      marks.push(s("circle", { class: "mark feared", cx: x, cy: y, r: 12 }),
        /** @type {any} */ (s("path", { class: "mark feared cross", d: `M${x - 4} ${y - 4}l8 8M${x + 4} ${y - 4}l-8 8` })));
    }
    this.marks?.replaceChildren(...marks);
  }

  drawPieces() {
    /** @type {Map<string, SVGGElement>} */
    const kept = new Map();
    const spare = new Map(this.signs);
    const key = (/** @type {Piece} */ { seat, animal, at }) => `${seat}.${animal}.${at}`;
    const missing = [];
    for (const piece of this.pieces) {
      const sign = spare.get(key(piece));
      if (sign) kept.set(key(piece), sign);
      else missing.push(piece);
      spare.delete(key(piece));
    }
    for (const piece of missing) {
      const old = [...spare].find(([name]) => name.startsWith(`${piece.seat}.${piece.animal}.`));
      if (old) spare.delete(old[0]);
      kept.set(key(piece), old?.[1] ?? makeSign(piece));
    }
    for (const sign of spare.values()) sign.remove();
    this.signs = kept;
    for (const piece of this.pieces) {
      const sign = /** @type {SVGGElement} */ (kept.get(key(piece)));
      const { x, y } = this.place(piece.at);
      sign.style.transform = `translate(${x}px, ${y}px)`;
      sign.classList.toggle("picked", this.picked === piece.at);
      if (sign.parentNode !== this.pieceLayer) this.pieceLayer?.append(sign);
    }
  }

  label() {
    const movable = new Set(this.legal.map(({ from }) => from));
    const found = this.findGoals();
    const [goals, feared] = [new Set(found.goals), new Set(found.feared)];
    const there = new Map(this.pieces.map((piece) => [piece.at, piece]));
    for (const [square, target] of this.targets ?? []) {
      const piece = there.get(square);
      const parts = [square];
      if (piece) parts.push(`${this.words.sides[piece.seat]} ${wordFor(this.words.animals, piece.animal)}`);
      else parts.push(this.holes.includes(square) ? this.words.hole : this.words.empty);
      if (piece?.trapped) parts.push(this.words.trapped);
      else if (piece?.scared) parts.push(this.words.scared);
      if (movable.has(square)) parts.push(this.words.movable);
      if (goals.has(square)) parts.push(this.words.goal);
      if (feared.has(square)) parts.push(this.words.feared);
      if (this.picked === square) parts.push(this.words.picked);
      target.setAttribute("aria-label", parts.join(", "));
      target.setAttribute("tabindex", square === this.focused ? "0" : "-1");
      target.classList.toggle("movable", movable.has(square));
      target.classList.toggle("legal", goals.has(square));
    }
  }

  listen() {
    this.svg.addEventListener("pointerdown", (event) => this.press(event));
    this.svg.addEventListener("keydown", (event) => this.pressKey(event));
    this.svg.addEventListener("focusin", (event) => {
      const square = /** @type {Element} */ (event.target).getAttribute("data-square");
      if (square) this.moveFocus(square, false);
    });
    this.svg.addEventListener("click", (event) => {
      const square = /** @type {Element} */ (event.target).getAttribute("data-square");
      if (square && event.detail === 0 && !("pointerType" in event && event.pointerType)) this.choose(square);
    });
  }

  /** @param {PointerEvent} event */
  press(event) {
    const square = /** @type {Element} */ (event.target).getAttribute("data-square");
    if (!square || !event.isPrimary || event.button !== 0) return;
    const isGoal = this.legal.some(({ from, to }) => from === this.picked && to === square);
    const before = this.picked;
    this.choose(square);
    if (isGoal || before === square || this.picked !== square) return;
    event.preventDefault();
    this.targets?.get(square)?.focus({ preventScroll: true });
    this.drag(event, square);
  }

  /**
   * @param {PointerEvent} start
   * @param {string} square
   */
  drag(start, square) {
    const piece = this.pieces.find(({ at }) => at === square);
    const sign = piece && this.signs.get(`${piece.seat}.${piece.animal}.${square}`);
    if (!sign) return;
    followPointer(this.svg, start, sign, {
      lift: () => this.pieceLayer?.append(sign),
      drop: (position) => this.drop(position),
    });
  }

  /**
   * Move the picked animal where the pointer is, if it can go there, else put it back.
   *
   * @param {{x: number, y: number} | null} position
   */
  drop(position) {
    const goal = position && this.squareAt(position);
    if (goal && this.legal.some(({ from, to }) => from === this.picked && to === goal)) this.choose(goal);
    else {
      this.picked = null;
      this.draw();
    }
  }

  /** @param {string} square */
  choose(square) {
    const move = this.legal.find(({ from, to }) => from === this.picked && to === square && from !== to);
    if (move) {
      this.picked = null;
      this.dispatchEvent(new CustomEvent("move", { detail: move }));
      return;
    }
    const goals = this.legal.filter(({ from }) => from === square);
    if (goals.length && this.picked !== square) {
      this.picked = square;
      const found = this.findGoals();
      const words = found.feared.length ? this.words.pickingFearful : this.showsMoves ? this.words.picking : this.words.pickingOnly;
      announce(fill(words, { place: square, places: found.goals.join(", "), feared: found.feared.join(", ") }));
    } else {
      this.picked = null;
      if (!goals.length && this.pieces.some(({ at }) => at === square)) this.dispatchEvent(new CustomEvent("refuse", { detail: { square } }));
    }
    this.draw();
    this.dispatchEvent(new CustomEvent("change"));
  }

  /** @param {KeyboardEvent} event */
  pressKey(event) {
    const square = /** @type {Element} */ (event.target).getAttribute("data-square");
    if (!square || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "Enter" || event.key === " ") this.choose(square);
    else if (event.key === "Escape" && this.picked) this.choose(this.picked);
    else if (event.key.startsWith("Arrow")) {
      const turn = this.isFlipped ? -1 : 1;
      const [right, up] = { ArrowRight: [1, 0], ArrowLeft: [-1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] }[event.key] ?? [0, 0];
      const file = Math.min(SIZE - 1, Math.max(0, FILES.indexOf(square[0]) + right * turn));
      const rank = Math.min(SIZE, Math.max(1, Number(square.slice(1)) + up * turn));
      this.moveFocus(`${FILES[file]}${rank}`, true);
    } else return;
    event.preventDefault();
    event.stopPropagation();
  }

  /**
   * @param {string} square
   * @param {boolean} focus
   */
  moveFocus(square, focus) {
    this.targets?.get(this.focused)?.setAttribute("tabindex", "-1");
    this.focused = square;
    this.targets?.get(square)?.setAttribute("tabindex", "0");
    if (focus) this.targets?.get(square)?.focus();
  }
}

/** Make the button that shows and hides where animals can go. */
export function makeMovesButton(attributes = {}) {
  const { barca } = pageText;
  const isShown = preferences.get("showMoves");
  return h("button", { type: "button", ...attributes, onclick: () => preferences.set("showMoves", !isShown) }, isShown ? barca.hideMoves : barca.showMoves);
}

/** @param {Piece} piece */
function makeSign({ seat, animal }) {
  return s("g", { class: `checker seat${seat} animal` },
    s("circle", { class: "b-shadow", cx: 2, cy: 3, r: 25 }),
    s("circle", { class: "c-edge animal-disc", r: 25 }),
    s("path", { class: "animal-sign", d: /** @type {Record<string, string>} */ (SIGNS)[animal] ?? "" }));
}
