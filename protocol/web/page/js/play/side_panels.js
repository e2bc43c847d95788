/** Beside the board: the invitation, the dice that can be checked, downloads. */

import { announce, button, h } from "../dom.js";
import { fill, text } from "../text.js";
import { canCheckDice } from "./fair_dice.js";
import { saveRecord } from "../server.js";
import { findTable, tableLink } from "./known_tables.js";
import { listFacts } from "../games.js";
import { findRecord } from "./record.js";

/** @import { TableView } from "./table_view.js" */

const words = text.table;

/** The panels of a table. */
export class SidePanels {
  /** @param {TableView} view */
  constructor(view) {
    this.view = view;
    this.invitation = h("section", { class: "panel", hidden: true });
    this.commitment = h("code", { class: "hash" });
    this.seeds = h("p", { class: "small quiet" });
    this.verdict = h("p", { role: "status" });
    this.checkButton = button(words.checkDice, () => this.check());
    this.fair = h("details", { class: "panel", hidden: true }, h("summary", {}, words.fairTitle),
      h("p", { class: "small" }, words.fairHelp), this.commitment, this.seeds, this.checkButton, this.verdict);
    this.links = h("div", { class: "row" });
    this.element = h("div", { class: "side-panels" }, this.fair, h("section", { class: "panel" }, this.links));
    this.drawn = "";
  }

  draw() {
    const { state } = this.view;
    if (!state) return;
    this.drawInvitation(state.seats.some(({ kind }) => kind === "open"));
    this.fair.hidden = !state.fair;
    if (state.fair) {
      this.commitment.textContent = state.fair.commitment;
      this.seeds.textContent = fill(words.fairYours, { seeds: state.fair.client_seeds.filter(Boolean).join(", ") || "–" });
      this.checkButton.disabled = !state.fair.game_seed_revealed || !canCheckDice();
      if (!canCheckDice()) this.verdict.textContent = words.fairNoCrypto;
      else if (!state.fair.game_seed_revealed) this.verdict.textContent = words.fairLater;
      else if (this.verdict.textContent === words.fairLater) this.verdict.textContent = "";
    }
    this.drawLinks();
  }

  /** @param {boolean} isOpen */
  drawInvitation(isOpen) {
    const known = findTable(this.view.table);
    const shown = isOpen && known?.invitation ? known.invitation : "";
    if (shown === this.drawn) return;
    this.drawn = shown;
    this.invitation.hidden = !shown;
    if (!shown) return;
    const { state } = this.view;
    this.invitation.replaceChildren(h("h2", {}, words.inviteTitle), h("p", {}, h("strong", {}, words.waitingOpen)), h("p", { class: "small quiet" }, state ? listFacts({ ...state, crawford: true }).join(" · ") : ""),
      h("p", {}, words.inviteHelp),
      makeCopyField(words.inviteLabel, `${tableLink(this.view.table, shown)}/invited`),
      ...(isLocal() ? [h("p", { class: "small quiet" }, fill(words.inviteLocal, { port: location.port || "80" }))] : []),
      ...(known?.watch ? [h("h3", {}, words.watchTitle), makeCopyField(words.watchTitle, tableLink(this.view.table, known.watch))] : []));
  }

  drawLinks() {
    const { state, table } = this.view;
    if (!state) return;
    /** @type {(HTMLAnchorElement | HTMLButtonElement)[]} */
    const parts = [];
    const address = this.view.game.address(state);
    if (address) parts.push(h("a", { class: "button", href: `#/analyse/${address}`, target: "_blank", rel: "noopener" }, words.analyseHere));
    if (state.result && this.view.game.hasRecord(state)) {
      for (const ending of ["mat", "sgf", "ogxm"]) {
        parts.push(button(`${words.downloads} .${ending}`, () => this.save(ending), { "data-save": ending }));
      }
    }
    const watch = findTable(table)?.watch;
    const key = `${parts.map((part) => part.textContent + (part.getAttribute("href") ?? ""))} ${watch} ${this.invitation.hidden}`;
    if (watch && this.invitation.hidden) parts.push(makeCopyButton(words.copyWatch, tableLink(table, watch)));
    this.links.parentElement?.toggleAttribute("hidden", !parts.length);
    if (key !== this.links.dataset.key) {
      this.links.dataset.key = key;
      this.links.replaceChildren(...parts);
    }
  }

  /**
   * Download the record that the server keeps of this table.
   *
   * @param {string} ending
   */
  async save(ending) {
    const id = await findRecord(this.view).catch(() => null);
    if (id === null) return this.view.say(words.notKept, true);
    await saveRecord(id, ending).catch((error) => this.view.say(error instanceof Error ? error.message : String(error), true));
  }

  /** Make every roll of the game again. */
  async check() {
    const { state, history, seats, diceSeeds } = this.view;
    if (!state?.fair) return;
    const { isKept, areSeedsKept, isOwn, rolls } = await diceSeeds.check(state.fair, history, seats);
    const wrong = rolls.filter(({ isRight }) => !isRight).length;
    const isRight = isKept && areSeedsKept && !wrong;
    const verdict = isRight ? fill(words.fairKept, { count: rolls.length })
      : fill(words.fairBroken, {
        secret: isKept ? words.fairRight : words.fairWrong, seeds: areSeedsKept ? words.fairRight : words.fairWrong, wrong, count: rolls.length,
      });
    this.verdict.textContent = seats.length ? `${verdict} ${isOwn ? words.fairOwn : words.fairNotOwn}` : verdict;
  }
}

/** Whether the page was opened by an address that means this computer wherever it is opened. */
function isLocal() {
  return /^(localhost|127\.[\d.]+|\[::1\])$/.test(location.hostname);
}

/**
 * @param {string} label
 * @param {string} link
 */
function makeCopyField(label, link) {
  const field = h("input", { value: link, readonly: true, "aria-label": label, class: "grow", onfocus: () => field.select() });
  return h("div", { class: "row copy" }, field, makeCopyButton(words.copy, link));
}

/**
 * @param {string} label
 * @param {string} link
 */
function makeCopyButton(label, link) {
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(link);
    } catch {
      // Only localhost and https have the clipboard; elsewhere what is selected can be copied.
      const field = h("input", { value: link });
      copying.after(field);
      field.select();
      document.execCommand("copy");
      field.remove();
    }
    announce(words.copied);
    copying.textContent = words.copied;
    setTimeout(() => (copying.textContent = label), 1500);
  };
  const copying = button(label, copy);
  return copying;
}
