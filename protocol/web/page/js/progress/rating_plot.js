/** PR over time: a dot for each match, and the PR of the last decisions as a line with its 95 % interval. */

import { h, s } from "../dom.js";
import { explain } from "../analyse/explain.js";
import { fill, text } from "../text.js";

const words = text.progress;
const [HEIGHT, LEFT, RIGHT, TOP, BOTTOM] = [230, 34, 12, 12, 30];
const STEPS = [1, 2, 5, 10, 20, 50];
const LEAST_TOP = 5;

/**
 * @typedef {{id: number, ended: number, score: number | null, performance_rating: number | null,
 *   moving_performance_rating: number | null, moving_performance_rating_95: number | null}} Rating
 */

export class RatingPlot {
  /** @param {Rating[]} ratings the oldest first */
  constructor(ratings) {
    this.ratings = ratings.filter((each) => each.performance_rating !== null);
    this.box = h("div", { class: "rating-plot" });
    this.element = h("figure", { class: "panel" }, this.box,
      h("figcaption", { class: "small quiet" }, words.plotCaption, " ", explain("pr")));
    this.width = 0;
    this.observer = new ResizeObserver(() => this.resize());
    this.observer.observe(this.box);
  }

  close() {
    this.observer.disconnect();
  }

  resize() {
    const width = Math.round(this.box.clientWidth);
    if (!width || width === this.width) return;
    this.width = width;
    this.draw();
  }

  draw() {
    const highest = Math.max(LEAST_TOP, ...this.ratings.map((each) =>
      Math.max(Number(each.performance_rating), Number(each.moving_performance_rating))));
    const step = STEPS.find((each) => highest / each <= 6) ?? 100;
    this.high = Math.ceil(highest / step) * step;
    const last = this.ratings[this.ratings.length - 1];
    const summary = fill(words.plotSummary, {
      count: this.ratings.length, from: formatDay(this.ratings[0].ended), to: formatDay(last.ended),
      rating: formatRating(last.moving_performance_rating, last.moving_performance_rating_95),
    });
    const svg = s("svg", { viewBox: `0 0 ${this.width} ${HEIGHT}`, width: this.width, height: HEIGHT, role: "img", "aria-label": summary });
    svg.append(...this.drawGrid(step), ...this.drawLine(), ...this.ratings.map((each, place) => this.drawDot(each, place)));
    this.box.replaceChildren(svg);
  }

  /** @param {number} place */
  x(place) {
    const count = this.ratings.length;
    return LEFT + (this.width - LEFT - RIGHT) * (count > 1 ? place / (count - 1) : 0.5);
  }

  /** @param {number} rating */
  y(rating) {
    const high = this.high ?? LEAST_TOP;
    return TOP + (HEIGHT - TOP - BOTTOM) * (1 - Math.min(Math.max(rating, 0), high) / high);
  }

  /** @param {number} step */
  drawGrid(step) {
    /** @type {SVGElement[]} */
    const drawn = [];
    for (let rating = 0; rating <= (this.high ?? 0); rating += step) {
      const y = this.y(rating);
      drawn.push(s("line", { class: "grid", x1: LEFT, x2: this.width - RIGHT, y1: y, y2: y }),
        s("text", { x: LEFT - 6, y: y + 4, "text-anchor": "end" }, rating));
    }
    const [first, last] = [this.ratings[0], this.ratings[this.ratings.length - 1]];
    drawn.push(s("text", { x: LEFT, y: HEIGHT - 8 }, formatDay(first.ended)));
    if (last !== first) drawn.push(s("text", { x: this.width - RIGHT, y: HEIGHT - 8, "text-anchor": "end" }, formatDay(last.ended)));
    return drawn;
  }

  drawLine() {
    const at = (/** @type {number} */ place, /** @type {number} */ rating) => `${this.x(place).toFixed(1)},${this.y(rating).toFixed(1)}`;
    const middle = this.ratings.map((each, place) => at(place, Number(each.moving_performance_rating)));
    const edge = (/** @type {1 | -1} */ sign) => this.ratings.map((each, place) =>
      at(place, Number(each.moving_performance_rating) + sign * Number(each.moving_performance_rating_95)));
    return [s("polygon", { class: "band", points: [...edge(1), ...edge(-1).reverse()].join(" ") }),
      s("polyline", { class: "moving", points: middle.join(" ") })];
  }

  /**
   * @param {Rating} rating
   * @param {number} place
   */
  drawDot(rating, place) {
    const [x, y] = [this.x(place), this.y(Number(rating.performance_rating))];
    const won = rating.score === 1;
    const mark = won ? s("circle", { class: "dot", cx: x, cy: y, r: 4.5 })
      : s("rect", { class: "dot lost", x: x - 3.5, y: y - 3.5, width: 7, height: 7 });
    mark.append(s("title", {}, `${formatDay(rating.ended)}: PR ${formatRating(rating.performance_rating)}`));
    return mark;
  }
}

/**
 * @param {number | null | undefined} rating
 * @param {number | null} [half] half the width of its 95 % interval
 */
export function formatRating(rating, half) {
  if (rating === null || rating === undefined) return "–";
  return rating.toFixed(1) + (half === null || half === undefined ? "" : ` ±\u00a0${half.toFixed(1)}`);
}

/** @param {number} seconds since 1970 */
export function formatDay(seconds) {
  return new Date(1000 * seconds).toLocaleDateString(undefined, { dateStyle: "medium" });
}
