/** The choice of a player for an engine's seat, with its options. */

import { choice, h, labelled } from "../dom.js";
import { text } from "../text.js";

const words = text.newGame;
const ENGINE = "engine";
const TYPED = "typed";
const NO_PLAYERS = ["net", "human", ENGINE];
const RANGE = /^(-?[\d.]+)\.\.(-?[\d.]+)$/;

/** @typedef {{name: string, type: string, values: string, default: string, meaning: string}} Parameter */
/** @typedef {{name: string, summary: string, parameters: Parameter[]}} Listed */
/** @typedef {{players?: Listed[], evaluators?: string[], evaluator_parameters?: Parameter[]}} Description */

/** @type {Description} */
const NOTHING = {};

/** A list of players, and below it a field for each option of the chosen one, or for one that is typed in. */
export class PlayerField {
  /**
   * @param {string} label
   * @param {string} name of the list
   */
  constructor(label, name) {
    /** @type {Map<string, Listed>} */
    this.players = new Map();
    /** @type {[Parameter, HTMLSelectElement | HTMLInputElement][]} the fields of the options */
    this.options = [];
    this.offered = NOTHING;
    this.name = name;
    this.list = choice([[ENGINE, words.ownEngine], [TYPED, words.typedPlayer]], ENGINE, { name, onchange: () => this.drawOptions() });
    this.typed = h("input", { name: `${name}-typed`, placeholder: words.typedExample, maxlength: 200, spellcheck: "false", autocapitalize: "none" });
    this.details = h("div", { class: "fields wide player-options", hidden: true });
    this.element = h("div", { class: "wide" }, labelled(label, this.list), this.details);
  }

  /** Whether the engine itself is chosen, at its level. */
  get isEngine() {
    return this.list.value === ENGINE;
  }

  /** The player as the server takes it: its name, with those of its options that are not at their defaults. */
  get value() {
    if (this.list.value === TYPED) return this.typed.value.trim() || ENGINE;
    const given = this.options.filter(([option, field]) => field.value.trim() !== "" && field.value !== option.default)
      .map(([option, field]) => `${option.name}=${field.value.trim()}`);
    return given.length ? `${this.list.value}:${given.join(",")}` : this.list.value;
  }

  /**
   * Offer the players that the server describes for a game, besides the engine and one that is typed in.
   *
   * @param {Description} [description]
   */
  offer(description = NOTHING) {
    if (description === this.offered) return;
    this.offered = description;
    const { players = [], evaluators = [], evaluator_parameters: parameters = [] } = description;
    const chosen = this.list.value;
    const listed = [...evaluators.map((name) => ({ name, summary: words.net, parameters })), ...players];
    this.players = new Map(listed.filter(({ name }) => !NO_PLAYERS.includes(name)).map((player) => [player.name, player]));
    const options = [...this.players.values()].map(({ name, summary }) => h("option", { value: name }, `${name}: ${summary}`));
    const [engine, typed] = [ENGINE, TYPED].map((value) => /** @type {Element} */ (this.list.querySelector(`[value=${value}]`)));
    this.list.replaceChildren(engine, ...options, typed);
    this.list.value = this.players.has(chosen) || chosen === TYPED ? chosen : ENGINE;
    this.drawOptions();
  }

  /** Show the options of the chosen player. */
  drawOptions() {
    const parameters = this.players.get(this.list.value)?.parameters ?? [];
    this.options = parameters.map((option) => [option, this.makeField(option)]);
    const rows = this.options.map(([option, field]) => h("label", { class: "field", title: option.meaning }, option.name, field));
    this.details.replaceChildren(...(this.list.value === TYPED ? [labelled(words.typedPlayer, this.typed)] : rows));
    this.details.hidden = !this.details.childElementCount;
  }

  /** @param {Parameter} option */
  makeField(option) {
    const attributes = { name: `${this.name}-${option.name}` };
    if (option.type === "enum" || option.type === "bool") {
      return choice(option.values.split("|").map((value) => [value, value]), option.default, attributes);
    }
    if (option.type === "string") return h("input", { ...attributes, value: option.default, placeholder: option.values, spellcheck: "false" });
    const [, min, max] = RANGE.exec(option.values) ?? [];
    return h("input", { ...attributes, type: "number", step: option.type === "int" ? "1" : "any", min, max, value: option.default });
  }
}
