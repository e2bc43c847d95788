/** Logging in and out, registering, and changing the password, on servers with accounts. */

import { announce, button, form, h, labelled } from "../dom.js";
import { preferences } from "../preferences.js";
import { fill, text } from "../text.js";
import { postJson } from "../server.js";

const words = text.account;

/** Events: `change` (somebody logged in or out). */
export class AccountPanel extends EventTarget {
  /** @param {string | null} user who is logged in */
  constructor(user) {
    super();
    this.user = user;
    this.element = h("section", { class: "panel account", "aria-label": words.title });
    this.failure = h("p", { class: "failure", role: "alert" });
    this.draw();
  }

  draw() {
    this.failure.textContent = "";
    this.element.replaceChildren(...(this.user === null ? this.drawLogin() : this.drawUser(this.user)));
  }

  drawLogin() {
    const name = h("input", { name: "username", autocomplete: "username", required: true, maxlength: 40, value: preferences.get("name") });
    const password = this.makePassword("current-password");
    const register = button(words.register, () => this.enter("register", name, password));
    const login = form({ class: "row" }, () => this.enter("login", name, password),
      labelled(words.name, name), labelled(words.password, password), h("button", { class: "main" }, words.logIn), register);
    return [h("h2", {}, words.title), h("p", {}, words.why), login, h("p", { class: "small quiet" }, words.rules), this.failure];
  }

  /** @param {string} user */
  drawUser(user) {
    const [old, fresh] = [this.makePassword("current-password"), this.makePassword("new-password")];
    const change = () => this.send("password", { old: old.value, new: fresh.value }, words.changed);
    const out = (/** @type {boolean} */ everywhere) => this.send("logout", everywhere ? { everywhere } : {}, words.loggedOut);
    return [
      h("div", { class: "row" }, h("p", { class: "grow" }, fill(words.loggedIn, { name: user })),
        button(words.logOut, () => out(false))),
      h("details", {}, h("summary", {}, words.more),
        form({ class: "row" }, change,
          h("input", { class: "unseen", name: "username", autocomplete: "username", value: user, tabindex: -1, "aria-hidden": "true" }),
          labelled(words.oldPassword, old), labelled(words.newPassword, fresh), h("button", {}, words.change)),
        h("p", { class: "row" }, button(words.logOutEverywhere, () => out(true)))),
      this.failure,
    ];
  }

  /** @param {"current-password" | "new-password"} autocomplete */
  makePassword(autocomplete) {
    return h("input", { type: "password", autocomplete, required: true, minlength: 8, maxlength: 1024 });
  }

  /**
   * @param {"login" | "register"} path
   * @param {HTMLInputElement} name
   * @param {HTMLInputElement} password
   */
  enter(path, name, password) {
    if (!name.reportValidity() || !password.reportValidity()) return;
    this.send(path, { name: name.value, password: password.value }, path === "login" ? words.welcome : words.registered);
  }

  /**
   * @param {string} path
   * @param {Record<string, any>} body
   * @param {string} success
   */
  async send(path, body, success) {
    this.failure.textContent = "";
    try {
      const { name } = await postJson(path, body);
      this.user = name;
      if (name) preferences.set("name", name);
      this.draw();
      announce(fill(success, { name: name ?? "" }));
      this.dispatchEvent(new Event("change"));
    } catch (error) {
      this.failure.textContent = error instanceof Error ? error.message : String(error);
    }
  }
}
