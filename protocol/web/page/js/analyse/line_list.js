/** The line of moves as links to its positions. */

import { h } from "../dom.js";
import { text } from "../text.js";

/**
 * One button for each play; neighbours that were set up are one.
 *
 * @param {import("./position_line.js").PositionLine} line
 */
export function drawLine(line) {
  const { steps, at } = line;
  const shown = steps.map((step, place) => ({ step, place })).filter(({ step, place }) => !step.isSetUp || !steps[place + 1]?.isSetUp);
  if (shown.length < 2) return [];
  const current = shown.find(({ place }) => place >= at)?.place;
  return [h("ol", {}, ...shown.map(({ step, place }) => h("li", {}, h("button", {
    type: "button", class: "step", "aria-current": place === current && "step", onclick: () => line.goTo(place),
  }, step.label || text.analyse.line.setUp))))];
}
