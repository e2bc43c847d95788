/** A board of backgammon as an SVG image that people move checkers on. It knows no rules: plays come as a tree. */

import { announce, s } from "../dom.js";
import { fill, text } from "../text.js";
import { drawArrows } from "./arrows.js";
import { Board } from "./board.js";
import { Geometry, PLACES } from "./geometry.js";
import { drawLastPlay } from "./last_play.js";
import { drawBoard, makeChecker, makeCube, makeDie } from "./pieces.js";
import { countPips, moveChecker, reach, starts, usedDice } from "./tree.js";

/** @import { Arrow, BoardState, LastPlay, TreeNode } from "../types.js" */
/** @import { Walked } from "./tree.js" */
/** @import { Place } from "./geometry.js" */

/**
 * @typedef {object} ShowOptions
 * @property {0 | 1} [perspective] the seat below (default 0)
 * @property {0 | 1} [numbering] the seat whose numbers the points have (default: the seat below)
 * @property {boolean} [flipped] home on the left
 * @property {TreeNode[] | null} [tree] plays of the side `on_roll`; without one nothing can be moved
 * @property {LastPlay | null} [last] the play that is marked until a checker is moved
 * @property {Arrow[]} [arrows] moves in the numbering of their `seat`, or of the side on roll
 * @property {boolean} [editable] every press is an event `edit`
 * @property {boolean} [animate] checkers glide to their places (default true)
 * @property {boolean} [showPips] (default true)
 * @property {boolean} [rollable] a press on the middle of the board is an event `dice`
 */

const words = text.board;
const COMPACT_WIDTH = 560;
let boards = 0;

/**
 * Events: `step` (after each checker moved or put back; detail: `path`, `play`), `dice` (the dice were pressed),
 * `cube` (the cube was pressed), `refuse` (a place was pressed from which nothing can move, or to which the checker that was picked
 * cannot go; detail: `place`, `point`, `picked`),
 * `edit` (detail: `place`, `shift`).
 *
 * @extends {Board<Place>}
 */
export class BackgammonBoard extends Board {
  /** @param {HTMLElement} parent */
  constructor(parent) {
    super(parent, "board", words.board, "p6");
    this.prefix = `board${++boards}`;
    /** @type {BoardState} */
    this.state = { checkers: [new Array(26).fill(0), new Array(26).fill(0)] };
    /** @type {ShowOptions} */
    this.options = {};
    /** @type {Walked[]} */
    this.path = [];
    /** @type {number[]} */
    this.dice = [];
    this.diceSwapped = false;
    /** @type {number | null} what the first place is numbered as */
    this.numbered = null;
    /** @type {number | null} */
    this.picked = null;
    /** @type {Map<number, Walked[]>} */
    this.goals = new Map();
    /** @type {[SVGGElement, SVGTextElement] | null} */
    this.cube = null;
    /** @type {Map<Place, SVGElement>} */
    this.marks = new Map();
    this.geometry = new Geometry(this.isNarrow(parent), false);
    this.layers = this.drawStill();
    new ResizeObserver(() => this.fit(parent)).observe(parent);
    this.svg.addEventListener("contextmenu", (event) => {
      if (this.options.editable) event.preventDefault();
    });
  }

  /** @param {HTMLElement} parent */
  isNarrow(parent) {
    return parent.clientWidth > 0 && parent.clientWidth < COMPACT_WIDTH;
  }

  /** @param {HTMLElement} parent */
  fit(parent) {
    if (this.isNarrow(parent) !== this.geometry.compact) {
      this.geometry = new Geometry(this.isNarrow(parent), this.geometry.flipped);
      this.layers = this.drawStill();
      this.draw();
    }
  }

  get perspective() {
    return this.options.perspective ?? 0;
  }

  /** The seat whose numbers the points have. */
  get numbering() {
    return this.options.numbering ?? this.perspective;
  }

  /** The seat whose plays the tree has. */
  get mover() {
    return /** @type {0 | 1} */ (this.state.on_roll ?? 0);
  }

  get node() {
    return this.path.length ? this.path[this.path.length - 1].node : 0;
  }

  /** The text of the play if what was moved is a whole one. */
  get play() {
    return this.options.tree?.[this.node]?.play ?? null;
  }

  /** Whether a checker on the bar is to be moved before any other. */
  get mustEnter() {
    return !!this.options.tree && starts(this.options.tree, this.node).has(25);
  }

  /** The checkers after the steps so far. */
  get checkers() {
    return this.path.reduce((checkers, { from, to }) => moveChecker(checkers, this.mover, from, to), this.state.checkers);
  }

  /**
   * Show a state. What was moved but not yet played is kept only if the tree is the same object.
   *
   * @param {BoardState} state
   * @param {ShowOptions} [options]
   */
  show(state, options = {}) {
    const isOtherRoll = (state.dice ?? []).join() !== (this.state.dice ?? []).join() || state.on_roll !== this.state.on_roll;
    if (options.tree !== this.options.tree || !options.tree) {
      this.path = [];
      this.unpick();
    }
    if (isOtherRoll) this.diceSwapped = false;
    this.state = state;
    this.options = options;
    if (!!options.flipped !== this.geometry.flipped) {
      this.geometry = new Geometry(this.geometry.compact, !!options.flipped);
      this.layers = this.drawStill();
    }
    this.draw(isOtherRoll);
  }

  /** Take the last checker back. */
  undoStep() {
    if (!this.path.length) return;
    this.path = this.path.slice(0, -1);
    this.afterStep();
  }

  /** Take all checkers of this roll back. */
  undoAll() {
    if (!this.path.length) return;
    this.path = [];
    this.afterStep();
  }

  /**
   * Move checkers along the tree.
   *
   * @param {Walked[]} steps
   */
  walk(steps) {
    this.path = [...this.path, ...steps];
    this.afterStep();
  }

  afterStep() {
    this.unpick();
    this.draw();
    this.dispatchEvent(new CustomEvent("step", { detail: { path: this.path, play: this.play } }));
  }

  // What does not move

  drawStill() {
    const layers = drawBoard(this.geometry, this.prefix);
    this.pieces.clear();
    this.cube = null;
    this.svg.setAttribute("viewBox", `0 0 ${this.geometry.width} ${this.geometry.height}`);
    this.svg.classList.toggle("compact", this.geometry.compact);
    for (const place of PLACES) {
      layers.targets.append(this.makeTarget(place, this.geometry.area(place)));
      const mark = place.startsWith("off") ? s("rect", { class: "mark slot", ...this.geometry.area(place), rx: 6 })
        : s("circle", { class: "mark", r: 13 });
      this.marks.set(place, mark);
      layers.marks.append(mark);
    }
    this.svg.replaceChildren(...layers.all);
    return layers;
  }

  // Drawing by difference

  /** @param {boolean} [isOtherRoll] */
  draw(isOtherRoll = false) {
    this.svg.classList.toggle("still", this.options.animate === false);
    this.svg.classList.toggle("in-hand", !!this.options.editable || !!this.options.tree?.[0].moves.length);
    const checkers = this.checkers;
    this.drawCheckers(checkers);
    this.drawDice(isOtherRoll);
    this.drawCube();
    this.drawWords(checkers);
    this.drawLast(checkers);
    this.layers.arrows.replaceChildren(...drawArrows(this.geometry, this.options.arrows ?? [], checkers,
      (seat, point) => this.placeOf(seat, point), this.mover));
    this.label(checkers);
  }

  /**
   * @param {number} seat
   * @param {number} point in the seat's own numbering
   * @returns {Place}
   */
  placeOf(seat, point) {
    const below = seat === this.perspective;
    if (point === 0) return below ? "off0" : "off1";
    if (point === 25) return below ? "bar0" : "bar1";
    return `p${below ? point : 25 - point}`;
  }

  /**
   * The point of a place in a seat's own numbering; null for bars and trays of the other side.
   *
   * @param {Place} place
   * @param {number} seat
   */
  pointOf(place, seat) {
    const below = seat === this.perspective;
    if (place.startsWith("p")) return below ? Number(place.slice(1)) : 25 - Number(place.slice(1));
    if (place.endsWith("0") !== below) return null;
    return place.startsWith("off") ? 0 : 25;
  }

  /**
   * The number of a point on the board.
   *
   * @param {Place} place
   */
  numberOf(place) {
    return String(this.pointOf(place, this.numbering));
  }

  /** @param {number[][]} checkers */
  drawCheckers(checkers) {
    const names = [];
    const counts = [];
    for (const seat of [0, 1]) {
      for (let point = 0; point <= 25; point++) {
        const count = checkers[seat][point];
        for (let index = 0; index < count; index++) names.push(nameChecker(seat, point, index));
        if (count > 5 || (point === 25 && count > 4)) counts.push(this.countText(seat, point, count));
      }
    }
    this.keepPieces(names);
    for (const [name, disc] of this.pieces) this.placeChecker(name, disc, checkers);
    this.layers.counts.replaceChildren(...counts);
  }

  /** @param {string} kind */
  makePiece(kind) {
    return makeChecker(Number(kind), this.geometry, this.prefix);
  }

  /**
   * @param {string} name
   * @param {SVGGElement} disc
   * @param {number[][]} checkers
   */
  placeChecker(name, disc, checkers) {
    const [seat, point, index] = name.split(/[@.]/).map(Number);
    const { x, y } = this.geometry.checkerAt(this.placeOf(seat, point), index, checkers[seat][point]);
    disc.style.transform = `translate(${x}px, ${y}px)`;
    disc.classList.toggle("off", point === 0);
    const isTop = index === checkers[seat][point] - 1;
    disc.classList.toggle("picked", this.picked === point && seat === this.mover && isTop);
    if (disc.parentNode !== this.layers.checkers) this.layers.checkers.append(disc);
  }

  /**
   * @param {number} seat
   * @param {number} point
   * @param {number} count
   */
  countText(seat, point, count) {
    const place = this.placeOf(seat, point);
    if (point === 0) {
      const { x } = this.geometry.checkerAt(place, 0, count);
      const y = place === "off0" ? this.geometry.bottom - this.geometry.stack + 16 : this.geometry.top + this.geometry.stack - 16;
      return s("text", { class: "b-pips", x, y, "aria-hidden": "true" }, count);
    }
    const { x, y } = this.geometry.checkerAt(place, count - 1, count);
    return s("text", { class: `c-count seat${seat}`, x, y, "aria-hidden": "true" }, count);
  }

  /** @param {boolean} isOtherRoll */
  drawDice(isOtherRoll) {
    const roll = this.state.dice;
    const layer = this.layers.dice;
    nameImage(layer, roll ? fill(words.dice, { dice: roll.join("-") }) : "");
    if (!roll) {
      this.dice = [];
      layer.replaceChildren();
      layer.classList.remove("ready");
      return;
    }
    const [one, other] = roll;
    const isWholeDouble = one === other && this.state.doubles !== "two";
    this.dice = isWholeDouble ? [one, one, one, one] : this.diceSwapped ? [other, one] : [one, other];
    const used = usedDice(this.dice, this.path);
    const below = this.mover === this.perspective;
    const places = this.geometry.diceAt(below, this.dice.length);
    layer.replaceChildren(...this.dice.map((face, index) => {
      const die = makeDie(face, this.mover, places[index]);
      die.classList.toggle("used", used[index]);
      die.classList.toggle("fresh", isOtherRoll && this.options.animate !== false);
      return die;
    }));
    layer.classList.toggle("ready", !!this.options.tree && this.play !== null);
  }

  drawCube() {
    const { cube } = this.state;
    nameImage(this.layers.cube, this.describeCube());
    if (!cube || this.state.crawford) {
      this.layers.cube.replaceChildren(...(cube && this.state.crawford ? [this.makeCrawfordSign()] : []));
      this.cube = null;
      return;
    }
    this.cube ??= makeCube();
    const [group, face] = this.cube;
    if (!group.parentNode) this.layers.cube.append(group);
    const offered = !!cube.offered;
    const doublerBelow = this.mover === this.perspective;
    /** @type {"below" | "above" | "middle" | "offeredBelow" | "offeredAbove"} */
    let where = cube.owner === null || cube.owner === undefined ? "middle" : cube.owner === this.perspective ? "below" : "above";
    if (offered) where = doublerBelow ? "offeredAbove" : "offeredBelow";
    const { x, y } = this.geometry.cubeAt(where);
    group.style.transform = `translate(${x}px, ${y}px)`;
    group.classList.toggle("offered", offered);
    face.textContent = String(offered ? 2 * cube.value : cube.value === 1 ? 64 : cube.value);
  }

  /** The cube in words for those who do not see it; empty where there is none. */
  describeCube() {
    const { cube, crawford } = this.state;
    if (!cube) return "";
    if (crawford) return words.crawford;
    if (cube.offered) return fill(words.cube.offered, { value: 2 * cube.value });
    const owner = cube.owner ?? null;
    return fill(owner === null ? words.cube.middle : owner === this.perspective ? words.cube.own : words.cube.theirs, { value: cube.value });
  }

  /** A word in place of the cube, which is not used in this game. */
  makeCrawfordSign() {
    const { x, y } = this.geometry.cubeAt("middle");
    return s("text", { class: "b-crawford", transform: `translate(${x} ${y}) rotate(-90)` }, words.crawford);
  }

  /** @param {number[][]} checkers */
  drawLast(checkers) {
    const { last } = this.options;
    const isShown = last && !this.path.length;
    const marks = isShown ? drawLastPlay(this.geometry, last, checkers, (seat, point) => this.placeOf(seat, point)) : [];
    this.layers.last.replaceChildren(...marks);
  }

  /** @param {number[][]} checkers */
  drawWords(checkers) {
    const { geometry, state } = this;
    const parts = [];
    if (this.options.showPips !== false) {
      for (const [seat, y] of [[this.perspective, geometry.height - geometry.strip / 2], [1 - this.perspective, geometry.strip / 2]]) {
        parts.push(s("text", { class: "b-pips", x: geometry.barX, y }, countPips(checkers[seat])));
      }
    }
    const tray = geometry.areas.cubeTray;
    if (tray && state.score) {
      const x = tray.x + tray.width / 2;
      const { score } = state;
      const [below, above] = [geometry.middle + 96, geometry.middle - 96];
      parts.push(s("text", { class: "b-score", x, y: below }, score[this.perspective]),
        s("text", { class: "b-score", x, y: above }, score[1 - this.perspective]));
      if (state.length) {
        for (const y of [below + 24, above + 24]) parts.push(s("text", { class: "b-score-small", x, y }, `/ ${state.length}`));
      }
    }
    this.layers.words.replaceChildren(...parts);
    if (this.numbered !== this.pointOf("p1", this.numbering) || !this.layers.numbers.firstChild) this.drawNumbers();
  }

  drawNumbers() {
    this.numbered = this.pointOf("p1", this.numbering);
    const numbers = Array.from({ length: 24 }, (_, index) => {
      const y = index < 12 ? this.geometry.height - this.geometry.strip / 2 : this.geometry.strip / 2;
      return s("text", { class: "b-number", x: this.geometry.pointX(index + 1), y }, this.numberOf(`p${index + 1}`));
    });
    this.layers.numbers.replaceChildren(...numbers);
  }

  // Words for those who do not see

  /** @param {number[][]} checkers */
  label(checkers) {
    const tree = this.options.tree;
    const movable = tree ? starts(tree, this.node) : new Set();
    for (const [place, target] of this.targets) {
      const point = this.pointOf(place, this.mover);
      const isMovable = point !== null && movable.has(point);
      const isGoal = this.isGoal(place);
      this.labelTarget(place, this.describe(place, checkers, isMovable, isGoal), isMovable);
      target.classList.toggle("legal", isGoal);
      this.markGoal(place, isGoal, checkers);
    }
  }

  /**
   * @param {Place} place
   * @param {boolean} isGoal
   * @param {number[][]} checkers
   */
  markGoal(place, isGoal, checkers) {
    const mark = this.marks.get(place);
    mark?.classList.toggle("legal", isGoal);
    if (!isGoal || place.startsWith("off")) return;
    const point = /** @type {number} */ (this.pointOf(place, this.mover));
    const count = Math.min(checkers[this.mover][point], 4);
    const { x, y } = this.geometry.checkerAt(place, count, count + 1);
    mark?.setAttribute("cx", String(x));
    mark?.setAttribute("cy", String(y));
  }

  /**
   * @param {Place} place
   * @param {number[][]} checkers
   * @param {boolean} isMovable
   * @param {boolean} isGoal
   */
  describe(place, checkers, isMovable, isGoal) {
    const viewer = this.perspective;
    let name = fill(words.point, { point: this.numberOf(place) });
    if (!place.startsWith("p")) {
      const whose = place.endsWith("0") ? words.mine : words.theirs;
      name = `${whose} ${place.startsWith("bar") ? words.bar : words.off}`;
    }
    const parts = [name];
    for (const seat of [viewer, 1 - viewer]) {
      const point = this.pointOf(place, seat);
      const count = point === null ? 0 : checkers[seat][point];
      const whose = seat === viewer ? words.me : words.opponent;
      if (count) parts.push(fill(count === 1 ? words.checker : words.checkers, { count, whose }));
    }
    if (parts.length === 1) parts.push(words.empty);
    const own = this.pointOf(place, this.mover);
    if (isMovable && own !== null && this.options.tree) {
      parts.push(fill(words.movable, { places: this.placesInWords(reach(this.options.tree, this.node, own, this.freeDice)) }));
    }
    if (this.picked !== null && own === this.picked) parts.push(words.picked);
    if (isGoal) parts.push(words.goal);
    return parts;
  }

  /** @param {Map<number, Walked[]>} goals */
  placesInWords(goals) {
    return [...goals.keys()].map((point) => {
      const place = this.placeOf(this.mover, point);
      return place.startsWith("p") ? this.numberOf(place) : words.offPlace;
    }).join(", ");
  }

  get freeDice() {
    const used = usedDice(this.dice, this.path);
    return this.dice.filter((_, index) => !used[index]);
  }

  // Picking up and putting down

  /** @param {PointerEvent} event */
  press(event) {
    if (!event.isPrimary) return;
    const element = /** @type {Element} */ (event.target);
    const place = this.findPlace(event);
    if (element.closest(".dice")) this.pressDice();
    else if (element.closest(".cube")) this.dispatchEvent(new CustomEvent("cube"));
    else if (!place && this.options.rollable) this.dispatchEvent(new CustomEvent("dice"));
    else if (place && event.button !== 0) this.choose(place, event);
    else super.press(event);
  }

  pressDice() {
    if (this.options.tree && this.play !== null) this.dispatchEvent(new CustomEvent("dice"));
    else if (this.options.tree && !this.path.length && this.dice.length === 2) {
      this.diceSwapped = !this.diceSwapped;
      this.drawDice(false);
    }
  }

  get pickedPiece() {
    return this.picked === null ? undefined : this.pieces.get(nameChecker(this.mover, this.picked, this.checkers[this.mover][this.picked] - 1));
  }

  /** @param {Place} place */
  isGoal(place) {
    const point = this.pointOf(place, this.mover);
    return point !== null && this.goals.has(point);
  }

  /**
   * Press a place: pick up, put down, or edit.
   *
   * @param {Place} place
   * @param {MouseEvent | KeyboardEvent} event
   */
  choose(place, event) {
    if (this.options.editable) {
      this.dispatchEvent(new CustomEvent("edit", { detail: { place, shift: event.shiftKey } }));
      return;
    }
    const tree = this.options.tree;
    const point = this.pointOf(place, this.mover);
    const { picked } = this;
    const refuse = () => this.dispatchEvent(new CustomEvent("refuse", { detail: { place, point, picked } }));
    if (!tree || point === null) return void refuse();
    if (this.picked !== null && this.goals.has(point)) return this.walk(/** @type {Walked[]} */ (this.goals.get(point)));
    if (this.picked === point) {
      // A second press on the same checker moves it by the first die that it can use.
      const first = [...this.goals.values()].find((steps) => steps.length === 1);
      if (first && event instanceof MouseEvent && event.type === "pointerdown") return this.walk(first);
      this.unpick();
      announce(words.putBack);
    } else if (starts(tree, this.node).has(point)) this.pick(point);
    else {
      this.unpick();
      refuse();
    }
    this.draw();
  }

  /** @param {number} point */
  pick(point) {
    const tree = /** @type {TreeNode[]} */ (this.options.tree);
    this.picked = point;
    this.goals = reach(tree, this.node, point, this.freeDice);
    const place = this.placeOf(this.mover, point);
    announce(fill(words.picking, {
      place: place.startsWith("p") ? this.numberOf(place) : words.bar, places: this.placesInWords(this.goals),
    }));
  }

  unpick() {
    this.picked = null;
    this.goals = new Map();
  }

  putBack() {
    this.unpick();
    this.draw();
  }

  // Keys

  /**
   * @param {Place} place
   * @param {KeyboardEvent} event
   */
  useKey(place, event) {
    if (event.key === "Enter" && this.picked === null && this.play !== null) return false; // done, or no move at all: the page's key
    if (event.key !== "Backspace" || !this.path.length) return super.useKey(place, event);
    this.undoStep();
    return true;
  }

  /**
   * The next place in the direction of an arrow key.
   *
   * @param {Place} place
   * @param {string} key
   * @returns {Place}
   */
  neighbour(place, key) {
    const upper = ["p13", "p14", "p15", "p16", "p17", "p18", "bar0", "p19", "p20", "p21", "p22", "p23", "p24", "off1"];
    const lower = ["p12", "p11", "p10", "p9", "p8", "p7", "bar1", "p6", "p5", "p4", "p3", "p2", "p1", "off0"];
    const [row, other] = upper.includes(place) ? [upper, lower] : [lower, upper];
    const index = row.indexOf(place);
    if (key === "ArrowUp" || key === "ArrowDown") return /** @type {Place} */ ((key === "ArrowUp" ? upper : lower)[index] ?? other[index]);
    const step = (key === "ArrowRight") !== this.geometry.flipped ? 1 : -1;
    return /** @type {Place} */ (row[(index + step + row.length) % row.length]);
  }
}

/**
 * @param {number} seat
 * @param {number} point
 * @param {number} index in its stack
 */
function nameChecker(seat, point, index) {
  return `${seat}@${point}.${index}`;
}

/**
 * Name a part of the board for those who do not see it; without a name it is nothing to them.
 *
 * @param {SVGElement} part
 * @param {string} name
 */
function nameImage(part, name) {
  if (name) {
    part.setAttribute("role", "img");
    part.setAttribute("aria-label", name);
  } else {
    part.removeAttribute("role");
    part.removeAttribute("aria-label");
  }
}
