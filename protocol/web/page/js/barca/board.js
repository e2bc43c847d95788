/** A board of Barca as an SVG image: ten files and ranks, animals as signs. It knows no rules: moves come as a list. */

import { announce, button, s } from "../dom.js";
import { preferences } from "../preferences.js";
import { Board } from "../board/board.js";
import { fill, wordFor } from "../text.js";
import { words as barcaWords } from "./words.js";

/**
 * @typedef {{at: string, animal: string, seat: number, scared: boolean, trapped: boolean, feared: string[]}} Piece
 * @typedef {{from: string, to: string, text: string}} PieceMove
 */

const words = barcaWords.board;
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

/**
 * Events: `move` (detail: the move that was chosen), `refuse` (an animal was pressed that cannot move; detail: `square`).
 *
 * @extends {Board<string>}
 */
export class BarcaBoard extends Board {
  /** @param {HTMLElement} parent */
  constructor(parent) {
    super(parent, "board barca", words.board, "e1");
    this.svg.setAttribute("viewBox", `0 0 ${SIDE} ${SIDE}`);
    /** @type {Piece[]} */
    this.animals = [];
    /** @type {PieceMove[]} */
    this.legal = [];
    /** @type {string[]} */
    this.holes = [];
    /** @type {string | null} */
    this.picked = null;
    this.isFlipped = false;
    this.drawStill();
  }

  /**
   * @param {{pieces?: Piece[], holes?: string[], legal?: PieceMove[] | null, last_move?: string | null}} state
   * @param {{perspective?: 0 | 1, arrows?: {from: string, to: string}[]}} [options]
   */
  show(state, { perspective = 0, arrows = [] } = {}) {
    this.animals = state.pieces ?? [];
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

  drawStill() {
    const [still, marks, targets, pieces, arrows] = ["still", "marks", "targets", "pieces", "arrows"].map((name) => s("g", { class: name }));
    for (const layer of [still, marks, pieces, arrows]) layer.setAttribute("aria-hidden", "true");
    this.marks = marks;
    this.pieceLayer = pieces;
    this.arrowLayer = arrows;
    still.append(s("rect", { class: "b-frame", x: 1, y: 1, width: SIDE - 2, height: SIDE - 2, rx: 14 }));
    for (let index = 0; index < SIZE * SIZE; index++) {
      const square = `${FILES[index % SIZE]}${Math.floor(index / SIZE) + 1}`;
      const { x, y } = this.place(square);
      const box = { x: x - CELL / 2, y: y - CELL / 2, width: CELL, height: CELL };
      const isDark = (index + Math.floor(index / SIZE)) % 2 === 0;
      still.append(s("rect", { class: isDark ? "b-square dark" : "b-square", ...box }));
      targets.append(this.makeTarget(square, box));
    }
    for (let index = 0; index < SIZE; index++) {
      const column = this.place(`${FILES[index]}1`).x;
      const row = this.place(`a${index + 1}`).y;
      still.append(
        ...[EDGE / 2, SIDE - EDGE / 2].map((y) => s("text", { class: "b-number", x: column, y }, FILES[index])),
        ...[EDGE / 2, SIDE - EDGE / 2].map((x) => s("text", { class: "b-number", x, y: row }, index + 1)));
    }
    this.pieces.clear();
    this.svg.replaceChildren(still, marks, targets, pieces, arrows);
  }

  get showsMoves() {
    return preferences.get("showMoves");
  }

  /** Where the animal that is picked up can go, and where it fears to be; nothing where that is not shown. */
  findGoals() {
    const goals = this.legal.filter(({ from }) => from === this.picked).map(({ to }) => to);
    const piece = goals.length ? this.animals.find(({ at }) => at === this.picked) : null;
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
    for (const { at, scared, trapped } of this.animals) {
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
    this.keepPieces(this.animals.map(nameAnimal));
    for (const animal of this.animals) {
      const sign = /** @type {SVGGElement} */ (this.pieces.get(nameAnimal(animal)));
      const { x, y } = this.place(animal.at);
      sign.style.transform = `translate(${x}px, ${y}px)`;
      sign.classList.toggle("picked", this.picked === animal.at);
      if (sign.parentNode !== this.pieceLayer) this.pieceLayer?.append(sign);
    }
  }

  /** @param {string} kind */
  makePiece(kind) {
    const [seat, animal] = kind.split(".");
    return s("g", { class: `checker seat${seat} animal` },
      s("circle", { class: "b-shadow", cx: 2, cy: 3, r: 25 }),
      s("circle", { class: "c-edge animal-disc", r: 25 }),
      s("path", { class: "animal-sign", d: /** @type {Record<string, string>} */ (SIGNS)[animal] ?? "" }));
  }

  label() {
    const movable = new Set(this.legal.map(({ from }) => from));
    const found = this.findGoals();
    const [goals, feared] = [new Set(found.goals), new Set(found.feared)];
    const there = new Map(this.animals.map((animal) => [animal.at, animal]));
    for (const [square, target] of this.targets) {
      const animal = there.get(square);
      const parts = [square];
      if (animal) parts.push(`${words.sides[animal.seat]} ${wordFor(words.animals, animal.animal)}`);
      else parts.push(this.holes.includes(square) ? words.hole : words.empty);
      if (animal?.trapped) parts.push(words.trapped);
      else if (animal?.scared) parts.push(words.scared);
      if (movable.has(square)) parts.push(words.movable);
      if (goals.has(square)) parts.push(words.goal);
      if (feared.has(square)) parts.push(words.feared);
      if (this.picked === square) parts.push(words.picked);
      this.labelTarget(square, parts, movable.has(square));
      target.classList.toggle("legal", goals.has(square));
    }
  }

  get pickedPiece() {
    const animal = this.animals.find(({ at }) => at === this.picked);
    return animal && this.pieces.get(nameAnimal(animal));
  }

  /** @param {string} square */
  isGoal(square) {
    return this.legal.some(({ from, to }) => from === this.picked && to === square);
  }

  putBack() {
    this.picked = null;
    this.draw();
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
      const said = found.feared.length ? words.pickingFearful : this.showsMoves ? words.picking : words.pickingOnly;
      announce(fill(said, { place: square, places: found.goals.join(", "), feared: found.feared.join(", ") }));
    } else {
      this.picked = null;
      if (!goals.length && this.animals.some(({ at }) => at === square)) this.dispatchEvent(new CustomEvent("refuse", { detail: { square } }));
    }
    this.draw();
  }

  /**
   * @param {string} square
   * @param {string} key
   */
  neighbour(square, key) {
    const turn = this.isFlipped ? -1 : 1;
    const [right, up] = { ArrowRight: [1, 0], ArrowLeft: [-1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] }[key] ?? [0, 0];
    const file = Math.min(SIZE - 1, Math.max(0, FILES.indexOf(square[0]) + right * turn));
    const rank = Math.min(SIZE, Math.max(1, Number(square.slice(1)) + up * turn));
    return `${FILES[file]}${rank}`;
  }
}

/** Make the button that shows and hides where animals can go. */
export function makeMovesButton(attributes = {}) {
  const isShown = preferences.get("showMoves");
  return button(isShown ? words.hideMoves : words.showMoves, () => preferences.set("showMoves", !isShown), attributes);
}

/** @param {Piece} piece */
function nameAnimal({ seat, animal, at }) {
  return `${seat}.${animal}@${at}`;
}
