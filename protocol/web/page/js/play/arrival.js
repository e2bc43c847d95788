/** What somebody with the link of a seat sees first: who invites to what, and a field for a name. */

import { form, h, labelled } from "../dom.js";
import { preferences } from "../preferences.js";
import { fill, text } from "../text.js";
import { listFacts } from "../games.js";

/** @import { Offer } from "../types.js" */

const words = text.table;

/**
 * Show the invitation until somebody sits down.
 *
 * @param {HTMLElement} main
 * @param {import("../main.js").Context} context
 * @param {string} table
 * @param {string[]} token
 * @returns {Promise<string>} the name
 */
export async function askName(main, context, table, token) {
  /** @type {Offer} */
  const offer = await context.tables.request("look", { table, token });
  const host = offer.seats.find(({ kind }) => kind === "person")?.name;
  const isOpen = offer.invited !== null;
  return new Promise((resolve) => {
    const name = h("input", { value: preferences.get("name"), maxlength: 40, required: isOpen, autocomplete: "nickname" });
    const submit = () => {
      if (isOpen) preferences.set("name", name.value.trim());
      main.replaceChildren();
      resolve(name.value.trim());
    };
    main.append(form({ class: "panel narrow" }, submit,
      h("h1", {}, host && host !== text.newGame.guest ? fill(words.invitedBy, { name: host }) : words.invited),
      h("ul", { class: "facts-list" }, ...listFacts(offer).map((fact) => h("li", {}, fact))),
      isOpen ? labelled(words.invitedName, name) : h("p", {}, words.seatTaken),
      h("p", { class: "row" }, h("button", { class: "main big" }, isOpen ? words.join : words.watch),
        h("a", { href: "#/help" }, text.newGame.firstTime))));
    if (isOpen) name.focus();
  });
}
