/** A match from a file: summary, errors, moves and course, with the board at each decision. */

import { button, choice, h, labelled } from "../dom.js";
import { BackgammonBoard } from "../board/backgammon.js";
import { fill, text } from "../text.js";
import { describeFailure } from "./failures.js";
import { DecisionPanel } from "./match_decision.js";
import { drawDownloads } from "./match_downloads.js";
import { MatchGraph } from "./match_graph.js";
import { ERROR, getWorst, listItems, sizeOf } from "./match_items.js";
import { ErrorList, MoveList } from "./match_lists.js";
import { analyseMatches, readFile } from "./match_source.js";
import { drawSummary } from "./match_summary.js";
import { classify, formatSeconds, isLossOf } from "./numbers.js";
import { parsePlay } from "./plays.js";
import { describeSetting } from "./setting_words.js";
import { Tabs } from "./tabs.js";
import { findVariant, makeEmptySetting, parseXgid, toBoardState } from "./xgid.js";

/** @import { LineSocket } from "../socket.js" */
/** @import { Item } from "./match_items.js" */

/**
 * @typedef {object} OpenMatch what stays while other pages are open
 * @property {File} file
 * @property {import("./match_items.js").MatchRecord[]} records
 * @property {any[] | null} results
 * @property {number} plies of the results
 * @property {number} number of the match that is shown
 * @property {number} at the place of the item that is shown
 * @property {boolean} isFlipped
 * @property {boolean} isByFile whether the analysis in the file is the one that the page goes by
 */

const words = text.analyse.match;
const DEPTHS = [0, 2];
const DEEPER = ["0", "1", "2", "3"];

/** The view of an open match, or the invitation to open one. */
export class MatchView {
  /**
   * @param {HTMLElement} parent
   * @param {LineSocket} line
   * @param {OpenMatch | null} match
   * @param {{keep: (match: OpenMatch | null) => void, analyse: (setting: import("./xgid.js").Setting, variant: string) => void,
   *   showPosition: (position: string) => void}} links
   */
  constructor(parent, line, match, links) {
    this.parent = parent;
    this.line = line;
    this.match = match;
    this.links = links;
    this.asking = new AbortController();
    /** @type {Item[]} */
    this.items = [];
    /** Checkers of a side: as many as are seen at any time of the match. */
    this.total = 15;
    this.message = h("p", { class: "failure", role: "alert", hidden: true });
    if (match) this.showMatch();
    else this.invite();
  }

  close() {
    this.asking.abort();
  }

  invite() {
    const picker = h("input", { type: "file", id: "match-file", class: "unseen-input", onchange: () => picker.files?.[0] && this.openFile(picker.files[0]) });
    const field = h("textarea", { rows: 5, spellcheck: "false" });
    this.parent.replaceChildren(h("section", { class: "panel invitation" }, h("h2", {}, words.openTitle), h("p", {}, words.openHint),
      h("p", {}, h("label", { class: "button main", for: "match-file" }, words.choose), picker),
      h("p", { class: "quiet small" }, words.formats),
      h("label", { class: "field" }, words.pasteHere, field),
      h("p", {}, button(words.openPasted, () => field.value.trim() ? this.openText(field.value) : this.say(words.pasteFirst))),
      this.message));
  }

  /** @param {string} content */
  openText(content) {
    this.openFile(new File([content], words.pastedName, { type: "text/plain" }));
  }

  /** @param {File} file */
  openFile(file) {
    return this.openFrom(async () => file);
  }

  /** @param {() => Promise<File>} fetch gets the file */
  async openFrom(fetch) {
    this.say("");
    try {
      const file = await fetch();
      const { matches: records, positions = [] } = await readFile(file);
      if (positions.length === 1) return this.links.showPosition(positions[0].xgid);
      if (positions.length) return this.offer(positions);
      if (!records.some(({ games }) => games.length)) {
        this.say(words.nothing);
        return;
      }
      this.match = { file, records, results: null, plies: -1, number: 0, at: 0, isFlipped: false, isByFile: false };
      this.links.keep(this.match);
      this.showMatch();
    } catch (error) {
      this.say(describeFailure(error));
    }
  }

  /**
   * List the positions of a file, to choose one.
   *
   * @param {{xgid: string, comment: string}[]} positions
   */
  offer(positions) {
    this.parent.replaceChildren(h("section", { class: "panel invitation" }, h("h2", {}, words.positions),
      h("ol", {}, ...positions.map(({ xgid, comment }) => h("li", {},
        button(xgid, () => this.links.showPosition(xgid), { class: "plain" }), comment && h("p", { class: "comment" }, comment))))));
  }

  /** @param {string} message */
  say(message) {
    this.message.hidden = !message;
    this.message.textContent = message;
  }

  get opened() {
    return /** @type {OpenMatch} */ (this.match);
  }

  get record() {
    return this.opened.records[this.opened.number];
  }

  /** The analysis that the page goes by. */
  get analysis() {
    return this.opened.isByFile ? this.record.analysis : this.own;
  }

  /** Whether the file has the very analysis that is made here, as the record of a game played here has. */
  get isSame() {
    return !!this.own?.method && this.own.method === this.record.headers.Annotator;
  }

  /** The other analysis, if the file has one. */
  get other() {
    if (this.isSame) return undefined;
    return this.opened.isByFile ? this.own : this.record.analysis;
  }

  get own() {
    return this.opened.results?.[this.opened.number];
  }

  /** The names of both analyses, that of the page first. */
  get sources() {
    const names = [words.ownSource, nameSource(this.record)];
    return this.opened.isByFile ? names.reverse() : names;
  }

  showMatch() {
    this.boardBox = h("div", { class: "board-box" });
    this.graph = new MatchGraph();
    this.decision = new DecisionPanel();
    this.errors = new ErrorList();
    this.moves = new MoveList();
    this.summary = h("div", {});
    this.status = h("p", { class: "small", role: "status" });
    this.meter = h("progress", { max: 1, value: 0, hidden: true, "aria-label": words.progress });
    this.cancel = button(text.analyse.stop, () => this.asking.abort(), { hidden: true });
    this.tabs = new Tabs(words.parts, [["summary", words.summary, this.summary], ["errors", words.errors, this.errors.element], ["moves", words.moves, this.moves.element]],
      () => this.item && this.moves?.mark(this.item));
    this.parent.replaceChildren(this.drawHead(), h("div", { class: "analysis match" },
      h("div", { class: "analysis-left" }, this.boardBox, this.drawNavigation(), h("section", { class: "panel" }, this.decision.element)),
      h("div", { class: "analysis-right" }, this.graph.element, h("section", { class: "panel" }, this.tabs.element))));
    this.board = new BackgammonBoard(this.boardBox);
    for (const list of [this.graph, this.errors, this.moves]) {
      list.addEventListener("choose", (event) => {
        this.choose(/** @type {CustomEvent} */ (event).detail);
        if (list !== this.graph && this.boardBox && this.boardBox.getBoundingClientRect().bottom < 0) this.boardBox.scrollIntoView();
      });
    }
    this.decision.addEventListener("look", (event) => this.drawBoard(/** @type {CustomEvent} */ (event).detail));
    this.boardBox.addEventListener("keydown", (event) => this.pressKey(event));
    this.show();
    if (!this.opened.results) this.analyse(DEPTHS);
  }

  drawHead() {
    const { names, length } = this.record;
    const last = this.record.games.at(-1);
    const score = last ? last.score.map((points, seat) => points + (last.result?.winner === seat ? last.result.points : 0)) : [0, 0];
    const pick = this.opened.records.length > 1 && labelled(words.which, choice(
      this.opened.records.map((record, number) => [String(number), record.names.join(" – ")]), String(this.opened.number),
      { onchange: (/** @type {Event} */ event) => this.switchTo(Number(/** @type {HTMLSelectElement} */ (event.target).value)) }));
    this.source = this.record.analysis && h("label", { class: "depth" }, words.source, " ", choice(
      [["own", words.ownSource], ["file", nameSource(this.record, words.inFile)]], this.opened.isByFile ? "file" : "own",
      { onchange: (/** @type {Event} */ event) => this.goBy(/** @type {HTMLSelectElement} */ (event.target).value === "file") }));
    this.depth = choice(DEEPER.map((plies) => [plies, `${plies}-ply`]), "2");
    return h("header", { class: "panel match-head" },
      h("h2", {}, fill(length ? words.titleMatch : words.titleMoney, { one: names[0], two: names[1], points: length, score: score.join("–") })),
      h("div", { class: "row" }, pick, this.source, h("label", { class: "depth" }, text.analyse.depth, " ", this.depth),
        button(words.analyseAgain, () => this.analyse([Number(this.depth?.value)])), this.cancel, this.meter, this.status),
      h("div", { class: "row downloads" }, h("span", { class: "quiet small" }, words.download), ...drawDownloads(() => this.opened, {
        say: (message) => this.say_(message), fail: (message) => this.say(message),
      }), h("span", { class: "grow" }),
      button(words.another, () => this.leave())),
      this.record.issues.length > 0 && h("details", { class: "issues small" }, h("summary", {}, fill(words.issues, { count: this.record.issues.length })),
        h("ul", {}, ...this.record.issues.map((issue) => h("li", {}, issue)))),
      this.message);
  }

  drawNavigation() {
    const arrow = (/** @type {string} */ sign, /** @type {string} */ name, /** @type {() => void} */ act) =>
      button(sign, act, { "aria-label": name, title: name });
    return h("div", { class: "row match-navigation" },
      arrow("\u21e4", words.previousError, () => this.stepToError(-1)), arrow("\u25c0", words.previous, () => this.step(-1)),
      arrow("\u25b6", words.next, () => this.step(1)), arrow("\u21e5", words.nextError, () => this.stepToError(1)),
      h("span", { class: "grow" }),
      button(text.analyse.tools.flip, () => this.flip()),
      button(words.analysePosition, () => this.item && this.links.analyse(this.readSetting(this.item), findVariant(this.total)), { class: "main" }));
  }

  get item() {
    return this.items[this.opened.at];
  }

  /** Show what is known, after it changed. */
  show() {
    const { record, analysis } = this;
    if (this.source) this.source.hidden = this.isSame;
    this.items = listItems(record, analysis);
    this.otherItems = this.other ? listItems(record, this.other) : [];
    const counts = this.items.flatMap(({ action: { xgid } }) => xgid ? parseXgid(xgid).checkers.map(([off]) => 15 - off) : []);
    this.total = Math.max(...counts, 0) || 15;
    this.graph?.show(this.items, record.names, record.length === 0);
    this.errors?.show(this.items, record.names, this.other ? { source: this.sources[1], items: this.otherItems } : null);
    this.moves?.show(this.items, record);
    this.summary?.replaceChildren(...drawSummary(record, { analysis, other: this.other, sources: this.sources }, (game) => this.openGame(game)));
    if (this.item) this.choose(this.item);
  }

  /** @param {Item} item */
  choose(item) {
    this.opened.at = item.place;
    const [source, otherSource] = this.sources;
    const other = this.otherItems?.[item.place];
    this.decision?.show([{ source, item }, ...(other ? [{ source: otherSource, item: other }] : [])], this.record.names, describeSetting(this.readSetting(item), this.record.names));
    this.graph?.mark(item);
    this.moves?.mark(item);
    this.drawBoard(null);
  }

  /**
   * The position before an action, with its dice.
   *
   * @param {Item} item
   */
  readSetting({ action, decisions }) {
    const xgid = action.xgid ?? decisions[0]?.xgid;
    return xgid ? parseXgid(xgid, this.total) : makeEmptySetting(this.total);
  }

  /** @param {import("./play_list.js").ListedPlay | null} looked the play to draw alone; null for what was made and what was best */
  drawBoard(looked) {
    const { item } = this;
    if (!item) return;
    const setting = this.readSetting(item);
    const decision = item.decisions.find((each) => each.decision === "play");
    const plays = looked ? [{ play: looked.play, loss: looked.loss }]
      : decision ? [{ play: decision.chosen, loss: decision.illegal ? Infinity : sizeOf(decision) }, ...(sizeOf(decision) > 0 || decision.illegal ? [{ play: decision.best, loss: 0 }] : [])]
      : item.action.play ? [{ play: item.action.play, loss: 0 }] : [];
    const arrows = plays.map(({ play, loss }) => ({ moves: parsePlay(play), className: classify(loss), seat: setting.on_roll }));
    this.board?.show(toBoardState(setting), { perspective: this.opened.isFlipped ? 1 : 0, numbering: setting.on_roll, arrows, animate: false });
  }

  /** @param {number} change */
  step(change) {
    const next = this.items[this.opened.at + change];
    if (next) this.choose(next);
  }

  /** @param {number} direction */
  stepToError(direction) {
    for (let place = this.opened.at + direction; this.items[place]; place += direction) {
      if (isLossOf(getWorst(this.items[place]), ERROR)) return this.choose(this.items[place]);
    }
  }

  /** @param {number} game */
  openGame(game) {
    const first = this.items.find((item) => item.game === game);
    if (!first) return;
    this.tabs?.open("moves");
    this.choose(first);
  }

  /** @param {number} number of the match in its file */
  switchTo(number) {
    this.opened.number = number;
    this.opened.at = 0;
    this.showMatch();
  }

  flip() {
    this.opened.isFlipped = !this.opened.isFlipped;
    this.drawBoard(null);
  }

  /** @param {boolean} isByFile whether the page goes by the analysis in the file */
  goBy(isByFile) {
    this.opened.isByFile = isByFile;
    this.show();
  }

  leave() {
    this.asking.abort();
    this.links.keep(null);
    this.match = null;
    this.invite();
  }

  /**
   * Analyse at each of some depths; each result is shown until the next one comes.
   *
   * @param {number[]} depths
   */
  async analyse(depths) {
    this.asking.abort();
    this.asking = new AbortController();
    const { signal } = this.asking;
    const { match } = this;
    this.setWorking(true);
    try {
      for (const plies of depths) {
        const start = performance.now();
        const onProgress = (/** @type {any} */ progress) => signal.aborted || this.showProgress(progress, plies);
        const results = await analyseMatches(this.line, this.opened.file, plies, { signal, onProgress });
        if (signal.aborted || this.match !== match) break;
        Object.assign(this.opened, { results, plies });
        this.show();
        this.say_(fill(words.analysed, { plies, time: formatSeconds(performance.now() - start) }));
      }
      if (signal.aborted) this.say_(words.stopped);
    } catch (error) {
      if (this.match === match) this.say_(signal.aborted ? words.stopped : describeFailure(error));
    }
    if (this.asking.signal === signal) this.setWorking(false);
  }

  /** @param {string} message */
  say_(message) {
    this.status?.replaceChildren(message);
  }

  /** @param {boolean} isWorking */
  setWorking(isWorking) {
    if (!this.meter || !this.cancel) return;
    this.meter.hidden = this.cancel.hidden = !isWorking;
    if (isWorking) this.meter.removeAttribute("value");
  }

  /**
   * @param {{done: number, total: number}} progress
   * @param {number} plies
   */
  showProgress({ done, total }, plies) {
    if (!total || !this.meter) return;
    this.meter.value = done / total;
    this.say_(fill(words.working, { plies, done, total }));
  }

  /** @param {KeyboardEvent} event */
  pressKey(event) {
    const step = /** @type {Record<string, () => void>} */ ({ n: () => this.step(1), p: () => this.step(-1), e: () => this.stepToError(1) })[event.key];
    if (!step || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    step();
  }
}

/**
 * Who made the analysis that a file has.
 *
 * @param {import("./match_items.js").MatchRecord} record
 * @param {string} [pattern] what a name becomes
 */
function nameSource({ format, headers }, pattern = "{source}") {
  const name = format === "xg" ? words.xg : headers.Annotator?.split(" ")[0];
  return name ? fill(pattern, { source: name }) : words.fileSource;
}
