/** The page on which a game begins: who plays what, by which rules; tables to go back to, and public ones. */

import { isVariant, makeStart } from "../analyse/xgid.js";
import { BackgammonBoard } from "../board/backgammon.js";
import { describeServer, markMissing } from "../description.js";
import { checkField, choice, form, h, labelled } from "../dom.js";
import { LEVELS, VARIANTS, findGame } from "../games.js";
import { preferences } from "../preferences.js";
import { ServerError } from "../socket.js";
import { keep, recall } from "../storage.js";
import { fill, text, wordFor } from "../text.js";
import { keepTable, listTables, markOver, tableHash } from "./known_tables.js";
import { nameSeat } from "./names.js";
import { PlayerField } from "./player_field.js";

/** @import { Context } from "../main.js" */

const words = text.newGame;
const CLOCKS = /** @type {Record<string, {bank: number, move_s: number} | null>} */ ({
  none: null,
  fast: { bank: 60, move_s: 8 },
  normal: { bank: 120, move_s: 12 },
  slow: { bank: 300, move_s: 20 },
});
const PACES = { slow: 1800, normal: 700, fast: 250, none: 0 };
const FIRST_KNOWN = 6;
const KEY = "gammond.new-game";
const BEGINNERS = ["beginner", "casual"];

/**
 * @param {HTMLElement} main
 * @param {string[]} _parts
 * @param {Context} context
 */
export function open(main, _parts, context) {
  const newGame = new NewGameForm(context);
  const lists = h("div", { class: "lists" });
  const picture = h("div", { class: "picture", inert: true });
  main.append(h("div", { class: "new-game" }, newGame.element, h("div", {}, picture, lists)));
  const board = new BackgammonBoard(picture);
  const drawPicture = () => {
    const { variant, length, cube } = newGame.request;
    picture.hidden = !isVariant(variant);
    if (picture.hidden) return;
    board.show({ checkers: makeStart(variant).checkers, cube: cube && length !== 1 ? { value: 1, owner: null } : null }, { showPips: false, animate: false });
  };
  newGame.element.addEventListener("input", drawPicture);
  drawPicture();
  const [knownList, publicList] = [h("div"), h("div")];
  lists.append(knownList, publicList);
  drawKnown(knownList, context);
  const refresh = () => drawPublic(publicList, context).catch(() => publicList.replaceChildren());
  refresh();
  const timer = setInterval(refresh, 10_000);
  return { close: () => clearInterval(timer) };
}

/**
 * List the tables to go back to; those that the server does not have any more go.
 *
 * @param {HTMLElement} parent
 * @param {Context} context
 */
function drawKnown(parent, context) {
  const known = listTables().filter(({ isOver }) => !isOver);
  const link = (/** @type {import("./known_tables.js").KnownTable} */ { table, tokens, title }) =>
    h("li", { "data-table": table }, h("a", { href: tableHash(table, tokens) }, title));
  const list = (/** @type {typeof known} */ tables) => h("ul", { class: "plain-list" }, ...tables.map(link));
  const rest = known.slice(FIRST_KNOWN);
  const older = h("details", { hidden: !rest.length, ontoggle: () => older.open && checkKnown(older, rest, context) },
    h("summary", {}, fill(words.older, { count: rest.length })), list(rest));
  parent.replaceChildren(...(known.length ? [h("section", { class: "panel" }, h("h2", {}, words.goBack), list(known.slice(0, FIRST_KNOWN)), older)] : []));
  checkKnown(parent, known.slice(0, FIRST_KNOWN), context);
}

/**
 * Ask the server one by one whether it still has tables that are listed.
 *
 * @param {HTMLElement} parent
 * @param {import("./known_tables.js").KnownTable[]} known
 * @param {Context} context
 */
async function checkKnown(parent, known, context) {
  for (const { table, tokens } of known) {
    try {
      await context.tables.request("look", { table, token: tokens });
    } catch (error) {
      if (!(error instanceof ServerError) || !["table", "token"].includes(error.field)) return;
      if (error.field === "table") markOver(table, true);
      parent.querySelector(`[data-table="${CSS.escape(table)}"]`)?.remove();
    }
    if (!parent.isConnected) return;
  }
  if (parent.querySelector("section") && !parent.querySelector("li")) parent.replaceChildren();
}

/**
 * @param {HTMLElement} parent
 * @param {Context} context
 */
async function drawPublic(parent, context) {
  const { tables = [] } = await context.tables.request("list");
  parent.replaceChildren(...(tables.length ? [h("section", { class: "panel" }, h("h2", {}, words.publicTables),
    h("ul", { class: "plain-list" }, ...tables.slice(0, 12).map((/** @type {any} */ each) =>
      h("li", {}, h("a", { href: tableHash(each.table, []) },
        `${nameSeats(each.seats ?? [])} · ${wordFor(VARIANTS, each.variant)}`)))))] : []));
}

/** @param {import("../types.js").Seat[]} seats */
function nameSeats(seats) {
  return seats.map((seat) => nameSeat(seat) || seat.kind).join(words.against);
}

/**
 * Fields with their labels, by their names in the texts.
 *
 * @template {keyof typeof words.fields} N
 * @param {Record<N, HTMLInputElement | HTMLSelectElement>} controls
 * @returns {Record<N, HTMLElement>}
 */
function labelAll(controls) {
  const fields = /** @type {[N, HTMLInputElement][]} */ (Object.entries(controls));
  return /** @type {any} */ (Object.fromEntries(fields.map(([name, control]) =>
    [name, (control.type === "checkbox" ? checkField : labelled)(words.fields[name], control)])));
}

/** The form. */
export class NewGameForm {
  /** @param {Context} context */
  constructor(context) {
    this.context = context;
    const { lengths, clocks, paces, sides, beginners } = words;
    this.how = choice(Object.entries(words.opponents), "engine", { name: "how" });
    this.variant = choice(Object.entries(VARIANTS), "backgammon", { name: "variant" });
    this.length = choice(Object.entries(lengths), "5", { name: "length" });
    this.name = h("input", { name: "name", value: preferences.get("name"), placeholder: words.guest, maxlength: 40, autocomplete: "nickname" });
    this.otherName = h("input", { name: "otherName", placeholder: words.friend, maxlength: 40 });
    this.level = choice(Object.entries(LEVELS), "intermediate", { name: "level" });
    this.otherLevel = choice(Object.entries(LEVELS), "expert", { name: "otherLevel" });
    this.player = new PlayerField(words.fields.player, "player");
    this.otherPlayer = new PlayerField(words.fields.otherPlayer, "otherPlayer");
    this.side = choice(Object.entries(sides), "0", { name: "side" });
    this.begins = choice(Object.entries(beginners), "roll", { name: "begins" });
    this.clock = choice(Object.entries(clocks), "none", { name: "clock" });
    this.pace = choice(Object.entries(paces), "normal", { name: "pace" });
    const box = (/** @type {string} */ name, /** @type {boolean} */ checked) => h("input", { type: "checkbox", name, checked });
    this.cube = box("cube", true);
    this.crawford = box("crawford", true);
    this.jacoby = box("jacoby", true);
    this.beavers = box("beavers", true);
    this.twoMoves = box("twoMoves", false);
    this.undo = box("undo", true);
    this.typedDice = box("typedDice", false);
    this.isPublic = box("public", false);
    this.tutor = box("tutor", preferences.get("tutor"));
    this.tutorTip = h("span", { class: "small quiet", hidden: true }, words.tutorTip);
    this.position = h("input", { name: "position", spellcheck: "false", autocapitalize: "none" });
    this.failure = h("p", { class: "failure", role: "alert", hidden: true });
    /** @type {Map<string, any>} what the server says of itself, by game */
    this.described = new Map();
    this.element = this.draw();
    this.restore();
    this.update();
    this.loadPlayers("backgammon"); // what is missing stands there
  }

  draw() {
    const { how, variant, length, name, otherName, level, otherLevel, side, begins, clock, pace, position } = this;
    const { cube, crawford, jacoby, beavers, twoMoves, undo, typedDice, isPublic, tutor } = this;
    const group = (/** @type {string} */ legend, /** @type {(Node | string)[]} */ ...children) =>
      h("fieldset", {}, h("legend", {}, legend), h("div", { class: "fields" }, ...children));
    const all = {
      ...labelAll({ how, variant, length, name, otherName, level, otherLevel, side, begins, clock, pace, position }),
      ...labelAll({ cube, crawford, jacoby, beavers, twoMoves, undo, typedDice, public: isPublic }),
      player: this.player.element,
      otherPlayer: this.otherPlayer.element,
      tutor: h("div", { class: "wide" }, checkField(words.fields.tutor, tutor), " ", this.tutorTip),
    };
    this.fields = all;
    return form({ class: "panel new-game-form", oninput: () => this.update() }, () => this.submit(),
      h("h1", {}, words.title),
      group(words.groups.game, all.how, all.variant, all.length),
      group(words.groups.players, all.name, all.otherName, all.side, all.level, all.otherLevel, all.tutor),
      h("details", {}, h("summary", {}, words.more),
        group(words.groups.rules, all.cube, all.crawford, all.jacoby, all.beavers, all.twoMoves, all.undo, all.typedDice, all.public),
        group(words.groups.other, all.player, all.otherPlayer, all.pace, all.clock, all.begins, all.position)),
      this.failure,
      h("div", { class: "row" }, h("button", { class: "main big", type: "submit" }, words.start),
        h("a", { href: "#/help" }, words.firstTime)));
  }

  /** The fields whose choices are kept for the next game. */
  get kept() {
    const { how, variant, length, level, otherLevel, side, clock, pace, cube, crawford, jacoby, beavers, twoMoves, begins, undo } = this;
    return { how, variant, length, level, otherLevel, side, clock, pace, cube, crawford, jacoby, beavers, twoMoves, begins, undo };
  }

  /** Keep the choices in this browser. */
  keep() {
    const values = Object.entries(this.kept).map(([name, field]) => [name, field.type === "checkbox" ? field.checked : field.value]);
    keep(KEY, Object.fromEntries(values));
  }

  /** Choose what was chosen for the last game. */
  restore() {
    const values = recall(KEY) ?? {};
    for (const [name, field] of Object.entries(this.kept)) {
      const value = values[name];
      if (field instanceof HTMLSelectElement) {
        if ([...field.options].some((option) => option.value === value)) field.value = String(value);
      } else if (typeof value === "boolean") field.checked = value;
    }
  }

  /** Show the fields that the others leave open. */
  update() {
    const how = this.how.value;
    const hasEngine = how === "engine" || how === "engines";
    markMissing(this.variant, VARIANTS, (hasEngine && this.described.get("backgammon")?.missing) || {});
    if (this.variant.selectedOptions[0]?.disabled) this.variant.value = "backgammon";
    const { game, isTwoMoves } = this;
    const { hasDice, hasMatches } = game;
    const levels = game.listLevels(isTwoMoves, Object.keys(game.levels));
    const isMatch = this.length.value !== "0";
    const hasCube = game.hasCube && !isTwoMoves;
    if (!this.described.has(game.name)) this.loadPlayers();
    for (const field of [this.player, this.otherPlayer]) field.offer(this.described.get(game.name));
    const shown = {
      name: how !== "engines", otherName: how === "table", side: how === "engine" || how === "link",
      level: hasEngine && this.player.isEngine && levels.length, player: hasEngine,
      otherLevel: how === "engines" && this.otherPlayer.isEngine && levels.length, otherPlayer: how === "engines",
      length: hasMatches, pace: hasEngine, cube: hasCube, crawford: hasCube && isMatch, jacoby: hasCube && !isMatch, beavers: hasCube && !isMatch,
      typedDice: hasDice && how !== "engines", twoMoves: hasDice, begins: hasDice,
      tutor: game.hasAdvice && !isTwoMoves && (how === "engine" || how === "table"),
    };
    for (const [name, isShown] of Object.entries(shown)) {
      /** @type {Record<string, HTMLElement>} */ (this.fields ?? {})[name].hidden = !isShown;
    }
    this.tutorTip.hidden = how !== "engine" || this.tutor.checked || !BEGINNERS.includes(this.level.value);
    for (const [place, list] of [this.level, this.otherLevel].entries()) {
      for (const option of list.options) option.hidden = option.disabled = !levels.includes(option.value);
      if (list.selectedOptions[0]?.disabled !== false) list.value = game.usualLevels[place] ?? levels[levels.length >> 1] ?? "";
    }
  }

  /** Offer what the server has: every player, and no game that no engine plays. The engine itself can always be played. */
  loadPlayers(game = this.game.name) {
    describeServer(this.context.line, game).then((description) => {
      if (this.described.has(game)) return;
      this.described.set(game, description);
      this.update();
    }).catch(() => {});
  }

  /** The game that is chosen. */
  get game() {
    return findGame(this.variant.value);
  }

  /** Whether doubles are two moves, for which there is neither a cube nor advice. */
  get isTwoMoves() {
    return this.twoMoves.checked && this.game.hasDice;
  }

  /** What `create` is sent. */
  get request() {
    const how = this.how.value;
    const rules = this.game.readRules(this);
    const clock = CLOCKS[this.clock.value];
    const engine = (/** @type {PlayerField} */ player, /** @type {HTMLSelectElement} */ level) =>
      player.isEngine ? { kind: "engine", level: level.value } : { kind: "engine", player: player.value };
    const me = { kind: "person", name: this.name.value.trim() || words.guest };
    let seats = {
      engine: [me, engine(this.player, this.level)],
      table: [me, { kind: "person", name: this.otherName.value.trim() || words.friend }],
      link: [me, { kind: "open" }],
      engines: [engine(this.player, this.level), engine(this.otherPlayer, this.otherLevel)],
    }[how] ?? [];
    const side = this.side.value === "chance" ? Math.floor(Math.random() * 2) : Number(this.side.value);
    if ((how === "engine" || how === "link") && side === 1) seats = seats.slice().reverse();
    return {
      seats, variant: this.variant.value, undo: this.undo.checked, public: this.isPublic.checked,
      ...rules,
      position: this.position.value.trim() || null,
      clock: clock && { bank_s: clock.bank * Math.max(1, rules.length), move_s: clock.move_s },
      ...(how === "engine" || how === "engines" ? { pace_ms: /** @type {any} */ (PACES)[this.pace.value] } : {}),
    };
  }

  async submit() {
    this.failure.hidden = true;
    if (this.name.value.trim()) preferences.set("name", this.name.value.trim());
    if (!this.fields?.tutor.hidden) preferences.set("tutor", this.tutor.checked);
    this.keep();
    const { request } = this;
    try {
      const { table, tokens, watch } = await this.context.tables.request("create", request);
      const isOpen = (/** @type {number} */ seat) => request.seats[seat].kind === "open";
      const own = tokens.filter((/** @type {string | null} */ token, /** @type {number} */ seat) => token && !isOpen(seat));
      const openSeat = [0, 1].find(isOpen);
      const keys = own.length ? own : [watch];
      keepTable({
        table, tokens: keys, isSeat: own.length > 0, watch, invitation: openSeat === undefined ? null : tokens[openSeat],
        title: fill(words.tableTitle, {
          players: nameSeats(request.seats.map((/** @type {any} */ seat) => ({ ...seat, name: seat.name ?? seat.player }))),
          variant: wordFor(VARIANTS, request.variant),
        }),
      });
      location.hash = tableHash(table, keys);
    } catch (error) {
      this.failure.textContent = error instanceof Error ? error.message : String(error);
      this.failure.hidden = false;
    }
  }
}
