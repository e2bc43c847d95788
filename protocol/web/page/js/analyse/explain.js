/** Words of explanation behind a question mark. */

import { button, h } from "../dom.js";
import { fill, text } from "../text.js";

const words = text.analyse;

const card = h("div", { id: "explanation", popover: "auto", role: "dialog", "aria-labelledby": "explanation-name", tabindex: -1 });

/**
 * A button that explains a term.
 *
 * @param {keyof typeof words.terms | {name: string, meaning: string}} term its key in `text.analyse.terms`, or what is said of it
 */
export function explain(term) {
  const { name, meaning } = typeof term === "string" ? words.terms[term] : term;
  return button("?", () => showCard(name, meaning), { class: "explain", "aria-label": fill(words.whatIs, { name }), "aria-haspopup": "dialog" });
}

/**
 * @param {string} name
 * @param {string} meaning
 */
function showCard(name, meaning) {
  if (!card.isConnected) document.body.append(card);
  card.replaceChildren(
    h("h3", { id: "explanation-name" }, name),
    ...meaning.split("\n").map((paragraph) => h("p", {}, paragraph)),
    button(words.close, () => card.hidePopover()),
  );
  card.showPopover();
  card.focus();
}
