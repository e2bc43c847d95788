/** The course of a match as a curve that is walked over with pointer and keys. */

import { h, s } from "../dom.js";
import { fill, text } from "../text.js";
import { explain } from "./explain.js";
import { BLUNDER, ERROR, getWorst } from "./match_items.js";
import { formatPercent, formatSigned, isLossOf } from "./numbers.js";

/** @import { Item } from "./match_items.js" */

const words = text.analyse.match;
const [WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM] = [640, 190, 36, 8, 10, 22];
const LABEL_WIDTH = 58;

/** Events: `choose` (detail: an item). */
export class MatchGraph extends EventTarget {
  constructor() {
    super();
    this.svg = s("svg", { class: "graph", viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "slider", tabindex: 0, "aria-orientation": "horizontal" });
    this.svg.addEventListener("pointerdown", (event) => this.press(event));
    this.svg.addEventListener("pointermove", (event) => event.buttons & 1 && this.press(event));
    this.svg.addEventListener("keydown", (event) => this.pressKey(event));
    this.cursor = s("g", { class: "cursor" });
    this.caption = h("p", { class: "small quiet" });
    this.value = h("p", { class: "small number graph-value", "aria-hidden": "true" });
    this.element = h("figure", { class: "panel match-graph" }, this.svg, h("figcaption", {}, this.value, this.caption));
    /** @type {Item[]} */
    this.points = [];
    this.at = 0;
    this.name = "";
    this.isMoney = false;
    this.low = 0;
    this.high = 1;
  }

  /**
   * @param {Item[]} items
   * @param {string[]} names
   * @param {boolean} isMoney
   */
  show(items, names, isMoney) {
    this.points = items.filter(({ value }) => value !== null);
    this.isMoney = isMoney;
    this.name = names[0];
    this.element.hidden = this.points.length < 2;
    if (this.element.hidden) return;
    const values = this.points.map(({ value }) => Number(value));
    [this.low, this.high] = isMoney ? [Math.min(-1, ...values), Math.max(1, ...values)] : [0, 1];
    const title = fill(isMoney ? words.graphMoney : words.graphMatch, { name: names[0] });
    this.svg.setAttribute("aria-label", title);
    this.svg.setAttribute("aria-valuemin", "1");
    this.svg.setAttribute("aria-valuemax", String(this.points.length));
    const curve = this.points.map((_, place) => `${this.x(place).toFixed(1)},${this.y(place).toFixed(1)}`).join(" ");
    const [first, last] = [this.x(0), this.x(this.points.length - 1)];
    this.svg.replaceChildren(...this.drawGrid(), s("polygon", { class: "curve-area", points: `${first},${this.toY(this.middle)} ${curve} ${last},${this.toY(this.middle)}` }),
      s("polyline", { class: "curve", points: curve }), ...this.drawMarks(), this.cursor);
    this.caption.replaceChildren(`${title}. ${words.graphMarks} `,
      s("svg", { class: "sign", viewBox: "0 0 12 12", "aria-hidden": "true" }, s("circle", { class: "error-mark seat0", cx: 6, cy: 6, r: 4.5 })), ` ${names[0]}, `,
      s("svg", { class: "sign", viewBox: "0 0 12 12", "aria-hidden": "true" }, s("rect", { class: "error-mark seat1", x: 2, y: 2, width: 8, height: 8 })), ` ${names[1]}; `,
      words.graphFilled, explain("mwcGraph"));
    this.moveTo(Math.min(this.at, this.points.length - 1));
  }

  get middle() {
    return this.isMoney ? 0 : 0.5;
  }

  /** @param {number} place */
  x(place) {
    return LEFT + ((WIDTH - LEFT - RIGHT) * place) / Math.max(1, this.points.length - 1);
  }

  /** @param {number} place */
  y(place) {
    return this.toY(Number(this.points[place].value));
  }

  /** @param {number} value */
  toY(value) {
    const { low, high } = this;
    return TOP + ((HEIGHT - TOP - BOTTOM) * (high - value)) / (high - low);
  }

  /** @param {number | null} value */
  format(value) {
    return this.isMoney ? formatSigned(value, 2) : formatPercent(value);
  }

  drawGrid() {
    const { low, high } = this;
    const lines = [0, 1, 2, 3, 4].map((step) => {
      const value = low + ((high - low) * step) / 4;
      const label = this.isMoney ? formatSigned(value, 1) : `${100 * value}`;
      return [s("path", { class: "grid-line", d: `M${LEFT} ${this.toY(value).toFixed(1)}H${WIDTH - RIGHT}` }),
        s("text", { class: "grid-label", x: LEFT - 6, y: this.toY(value) + 4, "text-anchor": "end" }, label)];
    });
    let free = 0;
    const games = this.points.map(({ game }, place) => ({ game, place })).filter(({ game, place }) => place === 0 || this.points[place - 1].game !== game);
    const starts = games.map(({ game, place }) => {
      const x = this.x(place);
      const isLabelled = x >= free;
      if (isLabelled) free = x + LABEL_WIDTH;
      return [s("path", { class: "game-line", d: `M${x.toFixed(1)} ${TOP}V${HEIGHT - BOTTOM}` }),
        isLabelled && s("text", { class: "grid-label", x: x + 3, y: HEIGHT - 6 }, fill(words.game, { number: game + 1 }))];
    });
    return [...lines, ...starts].flat().filter((each) => each instanceof SVGElement);
  }

  drawMarks() {
    return this.points.flatMap((item, place) => {
      const worst = getWorst(item);
      if (!isLossOf(worst, ERROR)) return [];
      const [x, y] = [this.x(place), this.y(place)];
      const style = `error-mark seat${item.action.seat}${isLossOf(worst, BLUNDER) ? "" : " hollow"}`;
      return item.action.seat === 0 ? s("circle", { class: style, cx: x, cy: y, r: 5 }) : s("rect", { class: style, x: x - 4.5, y: y - 4.5, width: 9, height: 9 });
    });
  }

  /**
   * Show where an item is, without an event.
   *
   * @param {Item | null} item
   */
  mark(item) {
    if (!item || !this.points.length) return;
    const place = this.points.filter((each) => each.place <= item.place).length - 1;
    this.moveTo(Math.max(0, place));
  }

  /** @param {number} place among the points */
  moveTo(place) {
    this.at = place;
    const item = this.points[place];
    const [x, y] = [this.x(place), this.y(place)];
    this.cursor.replaceChildren(s("path", { d: `M${x} ${TOP}V${HEIGHT - BOTTOM}` }), s("circle", { cx: x, cy: y, r: 6 }));
    this.svg.setAttribute("aria-valuenow", String(place + 1));
    const value = fill(words.graphValue, { game: item.game + 1, move: item.action.move, name: this.name, value: this.format(item.value) });
    this.svg.setAttribute("aria-valuetext", value);
    this.value.textContent = value;
  }

  /** @param {number} place */
  choose(place) {
    const kept = Math.max(0, Math.min(this.points.length - 1, place));
    if (kept === this.at || !this.points.length) return;
    this.moveTo(kept);
    this.dispatchEvent(new CustomEvent("choose", { detail: this.points[kept] }));
  }

  /** @param {PointerEvent} event */
  press(event) {
    const { left, width } = this.svg.getBoundingClientRect();
    const x = ((event.clientX - left) / width) * WIDTH;
    this.choose(Math.round(((x - LEFT) / (WIDTH - LEFT - RIGHT)) * (this.points.length - 1)));
  }

  /** @param {KeyboardEvent} event */
  pressKey(event) {
    const last = this.points.length - 1;
    const next = /** @type {Record<string, number>} */ ({
      ArrowRight: this.at + 1, ArrowUp: this.at + 1, ArrowLeft: this.at - 1, ArrowDown: this.at - 1,
      PageUp: this.at + 10, PageDown: this.at - 10, Home: 0, End: last,
    })[event.key];
    if (next === undefined) return;
    event.preventDefault();
    this.choose(next);
  }
}
