/** Tabs: a list of names of which one shows its panel, with arrow keys. */

import { h } from "../dom.js";

let count = 0;

/** Panels by name. */
export class Tabs {
  /**
   * @param {string} label
   * @param {[string, string, HTMLElement][]} panels key, name and content
   * @param {(key: string) => void} [onOpen]
   */
  constructor(label, panels, onOpen = () => {}) {
    this.onOpen = onOpen;
    const prefix = `tabs${++count}`;
    this.current = panels[0][0];
    this.buttons = panels.map(([key, name]) => h("button", {
      type: "button", role: "tab", id: `${prefix}-${key}`, "aria-controls": `${prefix}-${key}-panel`, "data-key": key, onclick: () => this.open(key),
    }, name));
    this.panels = panels.map(([key, , content]) =>
      h("div", { role: "tabpanel", id: `${prefix}-${key}-panel`, "aria-labelledby": `${prefix}-${key}`, "data-key": key }, content));
    this.element = h("div", { class: "tabs" },
      h("div", { role: "tablist", "aria-label": label, onkeydown: (/** @type {KeyboardEvent} */ event) => this.pressKey(event) }, ...this.buttons), ...this.panels);
    this.draw();
  }

  /** @param {string} key */
  open(key) {
    if (key === this.current) return;
    this.current = key;
    this.draw();
    this.onOpen(key);
  }

  draw() {
    for (const button of this.buttons) {
      const isOpen = button.dataset.key === this.current;
      button.setAttribute("aria-selected", String(isOpen));
      button.tabIndex = isOpen ? 0 : -1;
    }
    for (const panel of this.panels) panel.hidden = panel.dataset.key !== this.current;
  }

  /** @param {KeyboardEvent} event */
  pressKey(event) {
    const place = this.buttons.findIndex((button) => button.dataset.key === this.current);
    const last = this.buttons.length - 1;
    const next = { ArrowRight: place === last ? 0 : place + 1, ArrowLeft: place === 0 ? last : place - 1, Home: 0, End: last }[event.key];
    if (next === undefined) return;
    event.preventDefault();
    this.open(/** @type {string} */ (this.buttons[next].dataset.key));
    this.buttons[next].focus();
  }
}
