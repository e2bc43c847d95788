/** Marks of the play that was made last: where its checkers came from, and where they are now. */

import { s } from "../dom.js";

/** @import { Geometry, Place } from "./geometry.js" */
/** @import { LastPlay } from "../types.js" */

/**
 * Count the checkers that left and reached each point, in the numbering of the side that played: points passed on the
 * way are left out.
 *
 * @param {number[][]} moves from and to of each checker move
 * @returns {{left: Map<number, number>, reached: Map<number, number>}} checkers by point
 */
export function countMoved(moves) {
  /** @type {Map<number, number>} */
  const sums = new Map();
  const add = (/** @type {number} */ point, /** @type {number} */ count) => sums.set(point, (sums.get(point) ?? 0) + count);
  for (const [from, to] of moves) {
    add(from, -1);
    add(to, 1);
  }
  const found = [...sums];
  return {
    left: new Map(found.filter(([, sum]) => sum < 0).map(([point, sum]) => [point, -sum])),
    reached: new Map(found.filter(([, sum]) => sum > 0)),
  };
}

/**
 * Draw an empty ring where each checker was, and a ring around each one that moved.
 *
 * @param {Geometry} geometry
 * @param {LastPlay} last
 * @param {number[][]} checkers as they are now
 * @param {(seat: number, point: number) => Place} placeOf
 * @returns {SVGElement[]}
 */
export function drawLastPlay(geometry, { seat, moves }, checkers, placeOf) {
  const { left, reached } = countMoved(moves);
  const radius = geometry.disc / 2;
  const marks = [];
  for (const [point, moved] of left) {
    const place = placeOf(seat, point);
    const count = checkers[seat][point];
    for (let index = count; index < count + moved; index++) {
      const { x, y } = geometry.checkerAt(place, index, count + moved);
      marks.push(s("circle", { class: `last-from seat${seat}`, cx: x, cy: y, r: radius - 5 }));
    }
  }
  for (const [point, moved] of reached) {
    const place = placeOf(seat, point);
    const count = checkers[seat][point];
    for (let index = Math.max(0, count - moved); index < count; index++) {
      const { x, y } = geometry.checkerAt(place, index, count);
      marks.push(point === 0 ? s("rect", { class: "last-to", x: x - geometry.tray / 2 + 8, y: y - 6.5, width: geometry.tray - 16, height: 13, rx: 4 })
        : s("circle", { class: "last-to", cx: x, cy: y, r: radius - 2 }));
    }
  }
  return marks;
}
