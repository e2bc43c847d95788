/** What the boards of all games have: places to press, by pointer, keys and screen readers, and pieces that are moved. */

import { s } from "../dom.js";

const DRAG_PX = 6;

/**
 * A board as an SVG image. A game tells what can be picked up and where it can go; it names pieces by `KIND@PLACE`.
 *
 * @template {string} P a place
 */
export class Board extends EventTarget {
  /**
   * @param {HTMLElement} parent
   * @param {string} className
   * @param {string} name for those who do not see it
   * @param {P} focused the place to which keys come first
   */
  constructor(parent, className, name, focused) {
    super();
    this.svg = s("svg", { class: className, role: "group", "aria-label": name });
    this.focused = focused;
    /** @type {Map<P, SVGRectElement>} */
    this.targets = new Map();
    /** @type {Map<string, SVGGElement>} */
    this.pieces = new Map();
    parent.append(this.svg);
    this.svg.addEventListener("pointerdown", (event) => this.press(event));
    this.svg.addEventListener("keydown", (event) => this.pressKey(event));
    this.svg.addEventListener("focusin", (event) => this.moveFocus(this.findPlace(event), false));
    // Screen readers and other helpers press by a click without a pointer.
    this.svg.addEventListener("click", (event) => {
      const place = this.findPlace(event);
      if (place && event.detail === 0 && !("pointerType" in event && event.pointerType)) this.choose(place, event);
    });
  }

  // What a game says

  /** Press a place: pick up, or put down. @param {P} _place @param {MouseEvent | KeyboardEvent} _event */
  choose(_place, _event) {}

  /** Put back what was picked up. */
  putBack() {}

  /** @returns {SVGGElement | undefined} the piece that is picked up */
  get pickedPiece() {
    return undefined;
  }

  /** Whether the picked piece can go to a place. @param {P} _place */
  isGoal(_place) {
    return false;
  }

  /** Draw a piece. @param {string} _kind */
  makePiece(_kind) {
    return s("g");
  }

  /** The next place in the direction of an arrow key. @param {P} place @param {string} _key */
  neighbour(place, _key) {
    return place;
  }

  // Drawing

  /**
   * @param {P} place
   * @param {{x: number, y: number, width: number, height: number}} area in which it is pressed
   */
  makeTarget(place, area) {
    const target = s("rect", { class: "target", ...area, role: "button", tabindex: -1, "data-place": place });
    this.targets.set(place, target);
    return target;
  }

  /**
   * @param {P} place
   * @param {string[]} words for those who do not see it
   * @param {boolean} isMovable
   */
  labelTarget(place, words, isMovable) {
    const target = this.targets.get(place);
    target?.setAttribute("aria-label", words.join(", "));
    target?.setAttribute("tabindex", place === this.focused ? "0" : "-1");
    target?.classList.toggle("movable", isMovable);
  }

  /**
   * Keep the pieces that stay where they are, so that those that moved glide: they take over what is not needed any more.
   *
   * @param {string[]} names of the pieces that are shown
   */
  keepPieces(names) {
    const spare = new Map(this.pieces);
    this.pieces = new Map();
    for (const name of names) {
      const piece = spare.get(name);
      if (piece && spare.delete(name)) this.pieces.set(name, piece);
    }
    const kindOf = (/** @type {string} */ name) => name.split("@")[0];
    for (const name of names) {
      if (this.pieces.has(name)) continue;
      const kind = kindOf(name);
      const old = [...spare.keys()].filter((each) => kindOf(each) === kind).pop() ?? "";
      this.pieces.set(name, spare.get(old) ?? this.makePiece(kind));
      spare.delete(old);
    }
    for (const piece of spare.values()) piece.remove();
  }

  // Pointer and keys

  /**
   * @param {Event} event
   * @returns {P | null} the place on which it happens
   */
  findPlace(event) {
    return /** @type {P | null} */ (/** @type {Element} */ (event.target).getAttribute("data-place"));
  }

  /** @param {PointerEvent} event */
  press(event) {
    const place = this.findPlace(event);
    if (!place || !event.isPrimary || event.button !== 0) return;
    const before = this.pickedPiece;
    this.choose(place, event);
    const piece = this.pickedPiece;
    if (!piece || piece === before) return;
    event.preventDefault();
    this.targets.get(place)?.focus({ preventScroll: true });
    this.drag(event, piece);
  }

  /**
   * Follow the pointer with a piece until it is released. A press that hardly moves is no drag.
   *
   * @param {PointerEvent} start
   * @param {SVGElement} piece
   */
  drag(start, piece) {
    const { svg } = this;
    const matrix = svg.getScreenCTM()?.inverse();
    if (!matrix) return;
    const place = (/** @type {PointerEvent} */ event) => new DOMPoint(event.clientX, event.clientY).matrixTransform(matrix);
    let isDragged = false;
    let frame = 0;
    let last = start;
    const paint = () => {
      frame = 0;
      const { x, y } = place(last);
      piece.style.transform = `translate(${x}px, ${y}px) scale(1.08)`;
    };
    const move = (/** @type {PointerEvent} */ event) => {
      last = event;
      if (!isDragged) {
        if (Math.hypot(event.clientX - start.clientX, event.clientY - start.clientY) < DRAG_PX) return;
        isDragged = true;
        piece.classList.add("held");
        piece.parentNode?.append(piece);
      }
      frame ||= requestAnimationFrame(paint);
    };
    const end = (/** @type {PointerEvent} */ event) => {
      svg.removeEventListener("pointermove", move);
      svg.removeEventListener("pointerup", end);
      svg.removeEventListener("pointercancel", end);
      cancelAnimationFrame(frame);
      piece.classList.remove("held");
      if (!isDragged) return;
      const goal = event.type === "pointercancel" ? undefined : this.findGoal(place(event));
      if (goal) this.choose(goal, event);
      else this.putBack();
    };
    svg.setPointerCapture(start.pointerId);
    svg.addEventListener("pointermove", move);
    svg.addEventListener("pointerup", end);
    svg.addEventListener("pointercancel", end);
  }

  /**
   * The place below a point of the image, if the picked piece can go there.
   *
   * @param {DOMPoint} point
   */
  findGoal(point) {
    return [...this.targets.keys()].find((place) => this.isGoal(place) && this.targets.get(place)?.isPointInFill(point));
  }

  /** @param {KeyboardEvent} event */
  pressKey(event) {
    const place = this.findPlace(event);
    if (!place || event.ctrlKey || event.metaKey || event.altKey || !this.useKey(place, event)) return;
    event.preventDefault();
    event.stopPropagation();
  }

  /**
   * @param {P} place
   * @param {KeyboardEvent} event
   * @returns {boolean} whether the key means something here
   */
  useKey(place, event) {
    if (event.key === "Enter" || event.key === " ") this.choose(place, event);
    else if (event.key === "Escape" && this.pickedPiece) this.putBack();
    else if (event.key.startsWith("Arrow")) this.moveFocus(this.neighbour(place, event.key), true);
    else return false;
    return true;
  }

  /**
   * @param {P | null} place
   * @param {boolean} focus
   */
  moveFocus(place, focus) {
    if (!place) return;
    this.targets.get(this.focused)?.setAttribute("tabindex", "-1");
    this.focused = place;
    const target = this.targets.get(place);
    target?.setAttribute("tabindex", "0");
    if (focus) target?.focus();
  }
}
