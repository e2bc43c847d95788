/** The page of help: how things are done here, and the keys. */

import { h } from "./dom.js";
import { GAMES } from "./games.js";
import { text } from "./text.js";

/** @param {HTMLElement} main */
export function open(main) {
  const { title, keysTitle, keys } = text.help;
  const parts = Object.values(GAMES).flatMap(({ help }) => help);
  main.append(
    h("h1", {}, title),
    ...parts.map(([heading, ...paragraphs]) =>
      h("section", { class: "panel" }, h("h2", {}, heading), ...paragraphs.map((words) => h("p", {}, words)))),
    h("section", { class: "panel" }, h("h2", {}, keysTitle),
      h("table", {}, h("tbody", {}, ...keys.map(([key, meaning]) =>
        h("tr", {}, h("th", { scope: "row" }, h("kbd", {}, key)), h("td", {}, meaning)))))),
  );
}
