/** Arrows of plays on a board. */

import { s } from "../dom.js";

/** @import { Geometry, Place } from "./geometry.js" */
/** @import { Arrow } from "../types.js" */

/**
 * Draw each move of each arrow as a bow from the top checker of its start to the slot where it lands.
 *
 * @param {Geometry} geometry
 * @param {Arrow[]} arrows
 * @param {number[][]} checkers
 * @param {(seat: number, point: number) => Place} placeOf
 * @param {number} mover the seat of arrows that name none
 * @returns {SVGElement[]}
 */
export function drawArrows(geometry, arrows, checkers, placeOf, mover) {
  return arrows.flatMap(({ moves, className, seat = mover }) => {
    const left = checkers[seat].slice();
    return moves.flatMap(([from, to]) => {
      const start = geometry.checkerAt(placeOf(seat, from), Math.max(left[from] - 1, 0), Math.max(left[from], 1));
      const end = geometry.checkerAt(placeOf(seat, to), Math.min(left[to], to === 0 ? 14 : 4), Math.max(left[to] + 1, 1));
      left[from] -= 1;
      left[to] += 1;
      return drawArrow(start, end, className, geometry.middle);
    });
  });
}

/**
 * @param {{x: number, y: number}} start
 * @param {{x: number, y: number}} end
 * @param {string} className
 * @param {number} middle
 */
function drawArrow(start, end, className, middle) {
  const [dx, dy] = [end.x - start.x, end.y - start.y];
  const length = Math.hypot(dx, dy) || 1;
  // Bows bend towards the middle of the board, where there is room.
  const bend = Math.min(70, length * 0.22) * (start.y + end.y < 2 * middle ? 1 : -1);
  const control = { x: (start.x + end.x) / 2, y: (start.y + end.y) / 2 + bend };
  const angle = Math.atan2(end.y - control.y, end.x - control.x);
  const tip = end;
  const neck = { x: tip.x - 24 * Math.cos(angle), y: tip.y - 24 * Math.sin(angle) };
  const wing = (/** @type {number} */ side) =>
    `${neck.x + 14 * Math.cos(angle + side)},${neck.y + 14 * Math.sin(angle + side)}`;
  const path = `M${start.x} ${start.y}Q${control.x} ${control.y} ${neck.x} ${neck.y}`;
  return [
    s("path", { class: "arrow-back", d: path }),
    s("path", { class: `arrow ${className}`, d: path }),
    s("polygon", { class: `arrow-head ${className}`, points: `${tip.x},${tip.y} ${wing(Math.PI / 2)} ${wing(-Math.PI / 2)}` }),
  ];
}
