/** Where things are on a board of backgammon, in the units of its SVG image. */

const POINT = 60;
const DISC = 56;
const STACK = 5 * DISC + 8;

/**
 * A place by the numbering of the side below: points 1..24, and bars and trays of both sides.
 *
 * @typedef {`p${number}` | "bar0" | "bar1" | "off0" | "off1"} Place 0: of the side below, 1: of the side above
 */

/** A board of one form; `compact` has no tray on the side away from home, so that points are wider on a phone. */
export class Geometry {
  /**
   * @param {boolean} compact
   * @param {boolean} flipped home on the left
   */
  constructor(compact, flipped) {
    this.compact = compact;
    this.flipped = flipped;
    this.frame = compact ? 6 : 12;
    this.strip = compact ? 42 : 32;
    this.tray = compact ? 60 : 80;
    this.bar = compact ? 56 : 64;
    this.gap = compact ? 128 : 92;
    this.disc = DISC;
    this.field = 6 * POINT;
    this.sideTray = compact ? 0 : this.tray + this.frame;
    this.width = this.frame + this.sideTray + 2 * this.field + this.bar + this.frame + this.tray + this.frame;
    this.top = this.strip;
    this.bottom = this.strip + 2 * STACK + this.gap;
    this.height = this.bottom + this.strip;
    this.middle = (this.top + this.bottom) / 2;
    this.pointHeight = STACK - 20;
    this.stack = STACK;
  }

  /** @param {number} x on a board with home on the right */
  turn(x) {
    return this.flipped ? this.width - x : x;
  }

  /** The left edges of the two fields, the bar and the trays, each with its width, as drawn. */
  get areas() {
    const outer = this.frame + this.sideTray;
    const bar = outer + this.field;
    const home = bar + this.bar;
    const tray = home + this.field + this.frame;
    const place = (/** @type {number} */ x, /** @type {number} */ width) =>
      ({ x: this.flipped ? this.width - x - width : x, width });
    return {
      outer: place(outer, this.field),
      bar: place(bar, this.bar),
      home: place(home, this.field),
      tray: place(tray, this.tray),
      cubeTray: this.compact ? null : place(this.frame, this.tray),
    };
  }

  /** The middle of a point's column. @param {number} point */
  pointX(point) {
    const column = point <= 12 ? 12 - point : point - 13;
    const beyondBar = column >= 6 ? this.bar : 0;
    return this.turn(this.frame + this.sideTray + (column + 0.5) * POINT + beyondBar);
  }

  get barX() {
    return this.turn(this.frame + this.sideTray + this.field + this.bar / 2);
  }

  get trayX() {
    return this.turn(this.width - this.frame - this.tray / 2);
  }

  /**
   * The centre of a checker in its stack.
   *
   * @param {Place} place
   * @param {number} index from 0, the first at the edge
   * @param {number} count of checkers in the stack
   * @returns {{x: number, y: number}}
   */
  checkerAt(place, index, count) {
    if (place.startsWith("off")) {
      const pitch = 15;
      const y = place === "off0" ? this.bottom - 12 - index * pitch : this.top + 12 + index * pitch;
      return { x: this.trayX, y };
    }
    const room = place.startsWith("bar") ? 3 : 4;
    const pitch = count > room + 1 ? (room * DISC) / (count - 1) : DISC;
    if (place.startsWith("bar")) {
      const away = this.gap / 2 + DISC / 2 + index * pitch;
      return { x: this.barX, y: this.middle + (place === "bar0" ? -away : away) };
    }
    const point = Number(place.slice(1));
    const away = DISC / 2 + 3 + index * pitch;
    return { x: this.pointX(point), y: point <= 12 ? this.bottom - away : this.top + away };
  }

  /**
   * The area in which a place is pressed.
   *
   * @param {Place} place
   */
  area(place) {
    const half = this.stack + this.gap * 0.28;
    if (place.startsWith("off")) {
      const y = place === "off0" ? this.bottom - this.stack : this.top;
      return { x: this.trayX - this.tray / 2, y, width: this.tray, height: this.stack };
    }
    if (place.startsWith("bar")) {
      const y = place === "bar0" ? this.top : this.middle;
      return { x: this.barX - this.bar / 2, y, width: this.bar, height: (this.bottom - this.top) / 2 };
    }
    const point = Number(place.slice(1));
    const y = point <= 12 ? this.bottom - half : this.top;
    return { x: this.pointX(point) - POINT / 2, y, width: POINT, height: half };
  }

  /**
   * The triangle of a point.
   *
   * @param {number} point
   */
  triangle(point) {
    const x = this.pointX(point);
    const half = POINT / 2 - 1.5;
    const [edge, tip] = point <= 12 ? [this.bottom, this.bottom - this.pointHeight] : [this.top, this.top + this.pointHeight];
    return `${x - half},${edge} ${x + half},${edge} ${x},${tip}`;
  }

  /**
   * The centre of the cube.
   *
   * @param {"below" | "above" | "middle" | "offeredBelow" | "offeredAbove"} where
   */
  cubeAt(where) {
    const areas = this.areas;
    if (where === "offeredBelow" || where === "offeredAbove") {
      const field = where === "offeredBelow" ? areas.home : areas.outer;
      return { x: field.x + field.width / 2, y: this.middle };
    }
    const tray = areas.cubeTray ?? areas.tray;
    const away = this.compact ? this.middle - this.top - 15 * 15 - 46 : this.middle - this.top - 34;
    const y = where === "middle" ? this.middle : this.middle + (where === "below" ? away : -away);
    return { x: tray.x + tray.width / 2, y };
  }

  /**
   * The centres of dice of a side: on its right hand.
   *
   * @param {boolean} below
   * @param {number} count
   */
  diceAt(below, count) {
    const { home, outer } = this.areas;
    const field = below ? home : outer;
    const middle = field.x + field.width / 2;
    return Array.from({ length: count }, (_, index) => ({ x: middle + (index - (count - 1) / 2) * 66, y: this.middle }));
  }
}

/** All places, in the order in which the keys go through them. */
export const PLACES = /** @type {Place[]} */ ([
  ...Array.from({ length: 24 }, (_, index) => `p${index + 1}`), "bar0", "bar1", "off0", "off1",
]);
