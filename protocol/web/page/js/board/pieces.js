/** The still parts of a board of backgammon, its checkers, dice and cube, as SVG elements. */

import { s } from "../dom.js";

/** @import { Geometry } from "./geometry.js" */

const FACES = [[], [4], [0, 8], [0, 4, 8], [0, 2, 6, 8], [0, 2, 4, 6, 8], [0, 2, 3, 5, 6, 8]];

/**
 * Draw frame, fields, points and trays, and make the layers above them.
 *
 * @param {Geometry} geometry
 * @param {string} prefix of the ids of this board
 */
export function drawBoard(geometry, prefix) {
  const { areas, top, bottom, width, height } = geometry;
  const inner = bottom - top;
  const shade = s("linearGradient", { id: `${prefix}-field`, x1: 0, y1: 0, x2: 0, y2: 1 },
    s("stop", { class: "f-light", offset: 0 }), s("stop", { class: "f-dark", offset: 0.5 }), s("stop", { class: "f-light", offset: 1 }));
  const defs = s("defs", {}, shade, ...[0, 1].map((seat) =>
    s("radialGradient", { id: `${prefix}-c${seat}`, cx: 0.36, cy: 0.3, r: 0.85 },
      s("stop", { class: `c${seat}-light`, offset: 0.1 }), s("stop", { class: `c${seat}-dark`, offset: 1 }))));
  const still = s("g", { "aria-hidden": "true" },
    s("rect", { class: "b-frame", x: 1, y: 1, width: width - 2, height: height - 2, rx: 14 }),
    ...[areas.outer, areas.home].map(({ x, width: wide }) =>
      s("rect", { class: "b-field", x, y: top, width: wide, height: inner, fill: `url(#${prefix}-field)` })),
    s("rect", { class: "b-frame-2", x: areas.bar.x, y: top, width: areas.bar.width, height: inner }),
    s("rect", { class: "b-hinge", x: geometry.barX - 1, y: top, width: 2, height: inner }),
    ...Array.from({ length: 24 }, (_, index) =>
      s("polygon", { class: index % 2 ? "b-a" : "b-b", points: geometry.triangle(index + 1) })),
    ...(areas.cubeTray ? [areas.tray, areas.cubeTray] : [areas.tray]).map(({ x, width: wide }) =>
      s("rect", { class: "b-tray", x, y: top, width: wide, height: inner, rx: 6 })));
  const group = (/** @type {string} */ name) => s("g", { class: name });
  const layers = {
    numbers: group("numbers"), words: group("words"), checkers: group("checkers"), counts: group("counts"),
    last: group("last"), dice: group("dice"), cube: group("cube-layer"), arrows: group("arrows"), targets: group("targets"), marks: group("marks"),
  };
  for (const name of /** @type {const} */ (["numbers", "words", "checkers", "counts", "last", "arrows", "marks"])) {
    layers[name].setAttribute("aria-hidden", "true");
  }
  const { numbers, words, checkers, counts, last, dice, cube, arrows, targets, marks } = layers;
  return { ...layers, all: [defs, still, numbers, words, targets, checkers, last, counts, arrows, marks, dice, cube] };
}

/**
 * @param {number} seat
 * @param {Geometry} geometry
 * @param {string} prefix
 */
export function makeChecker(seat, { disc, tray }, prefix) {
  const radius = disc / 2 - 1;
  const rings = seat === 0 ? [0.72] : [0.72, 0.5];
  return s("g", { class: `checker seat${seat}` },
    s("g", { class: "c-disc" },
      s("ellipse", { class: "b-shadow", cx: 2, cy: 4, rx: radius, ry: radius }),
      s("circle", { class: "c-edge", r: radius, fill: `url(#${prefix}-c${seat})` }),
      ...rings.map((part) => s("circle", { class: "c-ring", r: radius * part }))),
    s("rect", { class: "c-slab", x: 8 - tray / 2, y: -6.5, width: tray - 16, height: 13, rx: 4 }));
}

/**
 * @param {number} face 1..6
 * @param {number} seat
 * @param {{x: number, y: number}} place
 */
export function makeDie(face, seat, { x, y }) {
  const pips = FACES[face].map((cell) => s("circle", { cx: ((cell % 3) - 1) * 15, cy: (Math.floor(cell / 3) - 1) * 15, r: 5.6 }));
  return s("g", { class: `die seat${seat}`, transform: `translate(${x} ${y})` },
    s("g", { class: "die-face" }, s("rect", { x: -28, y: -28, width: 56, height: 56, rx: 11 }), ...pips));
}

/** @returns {[SVGGElement, SVGTextElement]} the cube and its number */
export function makeCube() {
  const face = s("text", { y: 1 });
  const group = s("g", { class: "cube" }, s("rect", { x: -26, y: -26, width: 52, height: 52, rx: 9 }), face);
  return [group, face];
}
