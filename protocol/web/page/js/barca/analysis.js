/** A position of Barca: the board, its best moves, and a line of moves. All of it by JSON queries. */

import { announce, button, form, h } from "../dom.js";
import { BarcaBoard, makeMovesButton } from "./board.js";
import { preferences } from "../preferences.js";
import { fill, text } from "../text.js";
import { copyText } from "../analyse/clipboard.js";
import { explain } from "../analyse/explain.js";
import { describeFailure } from "../analyse/failures.js";
import { formatSeconds } from "../analyse/numbers.js";
import { words as barcaWords } from "./words.js";

/** @import { LineSocket } from "../socket.js" */

/**
 * @typedef {{position: string, turn: "white" | "black", legal: string[], pieces: import("./board.js").Piece[], result?: string,
 *   winner?: string, eval?: {score: number, depth: number}, moves?: {play: string, score: number, pv: string}[]}} BarcaResult
 */

const words = barcaWords.analysis;
const HOLES = ["d4", "d7", "g4", "g7"];
const SEARCH_MS = 1500;
const SHOWN = 6;
const [WIN, LARGEST] = [1_000_000, 900_000];

/** What is analysed, kept while other pages are open. */
const line = { start: "startpos", played: /** @type {string[]} */ ([]), at: 0 };

/** The view of a line of Barca. */
export class BarcaView {
  /**
   * @param {HTMLElement} parent
   * @param {LineSocket} socket
   * @param {string} position where a line begins; empty for the one that there is
   */
  constructor(parent, socket, position) {
    this.socket = socket;
    this.asking = new AbortController();
    /** @type {BarcaResult | null} */
    this.result = null;
    this.isFlipped = false;
    if (position) this.begin(position, false);
    this.boardBox = h("div", { class: "board-box" });
    this.message = h("p", { class: "failure", role: "alert", hidden: true });
    this.tools = h("div", { class: "row tools" });
    this.steps = h("nav", { class: "line-of-moves", "aria-label": text.analyse.line.name });
    this.advice = h("section", { class: "panel advice", "aria-label": words.moves });
    this.board = new BarcaBoard(this.boardBox);
    this.board.addEventListener("move", (event) => this.play(/** @type {CustomEvent} */ (event).detail.text));
    this.onPreference = () => (this.drawLine(), this.drawBoard(this.result?.moves?.[0]?.play));
    preferences.addEventListener("change", this.onPreference);
    parent.append(h("div", { class: "analysis" },
      h("div", { class: "analysis-left" }, this.boardBox, this.message, this.tools, this.steps, this.makePaste()),
      h("div", { class: "analysis-right" }, this.advice)));
    this.update();
  }

  close() {
    preferences.removeEventListener("change", this.onPreference);
    this.asking.abort();
  }

  openFile() {}

  /** @param {string} position */
  openText(position) {
    this.begin(position.trim());
  }

  makePaste() {
    const field = h("input", { type: "text", spellcheck: "false", autocomplete: "off" });
    return form({ class: "panel paste" }, () => field.value.trim() && this.begin(field.value.trim()),
      h("label", { class: "field" }, words.paste, field), h("button", { type: "submit" }, text.analyse.paste.open));
  }

  /**
   * @param {string} position
   * @param {boolean} [show]
   */
  begin(position, show = true) {
    Object.assign(line, { start: position, played: [], at: 0 });
    if (show) this.update();
  }

  /** @param {string} move */
  play(move) {
    line.played = [...line.played.slice(0, line.at), move];
    line.at = line.played.length;
    announce(move);
    this.update();
  }

  /** @param {number} at how many moves are played */
  goTo(at) {
    line.at = Math.max(0, Math.min(line.played.length, at));
    this.update();
  }

  /** @param {Record<string, any>} fields */
  async ask(fields) {
    const { signal } = this.asking;
    const query = { variant: "barca", position: line.start, played: line.played.slice(0, line.at), ...fields };
    return /** @type {BarcaResult} */ ((await this.socket.query(query, { signal })).results[0]);
  }

  /** Show the position, and search for moves. */
  async update() {
    this.asking.abort();
    this.asking = new AbortController();
    const { signal } = this.asking;
    this.message.hidden = true;
    this.drawLine();
    try {
      const place = await this.ask({ want: ["pieces", "legal"] });
      if (signal.aborted) return;
      this.result = place;
      history.replaceState(null, "", `#/analyse/barca/${encodeURIComponent(place.position)}`);
      this.drawBoard();
      this.drawAdvice(null, 0);
      if (place.result) return;
      const start = performance.now();
      for (const limits of [{ depth: 2 }, { time_ms: SEARCH_MS }]) {
        const found = await this.ask({ want: ["eval", "moves"], max_moves: SHOWN, ...limits });
        if (signal.aborted) return;
        this.result = { ...place, ...found };
        this.drawAdvice(this.result, performance.now() - start);
        this.drawBoard(this.result.moves?.[0]?.play);
      }
    } catch (error) {
      if (signal.aborted) return;
      this.message.hidden = false;
      this.message.textContent = describeFailure(error);
    }
  }

  /** @param {string} [move] drawn as an arrow */
  drawBoard(move) {
    const { result } = this;
    if (!result) return;
    const legal = result.legal.map((each) => ({ ...splitMove(each), text: each }));
    this.board.show({ pieces: result.pieces, holes: HOLES, legal, last_move: line.played[line.at - 1] ?? null },
      { perspective: this.isFlipped ? 1 : 0, arrows: move ? [splitMove(move)] : [] });
  }

  drawLine() {
    const { tools } = text.analyse;
    this.tools.replaceChildren(
      button(`\u21b6 ${text.analyse.line.undo}`, () => this.goTo(line.at - 1), { disabled: line.at === 0 }),
      button(`\u21b7 ${text.analyse.line.redo}`, () => this.goTo(line.at + 1), { disabled: line.at === line.played.length }),
      button(tools.start, () => this.begin("startpos")),
      button(tools.flip, () => ((this.isFlipped = !this.isFlipped), this.drawBoard())),
      makeMovesButton(),
      button(tools.share, () => copyText(location.href, tools.copied, this.message)));
    this.steps.replaceChildren(h("ol", {}, ...line.played.map((move, place) => h("li", {},
      button(move, () => this.goTo(place + 1), { class: "step", "aria-current": place + 1 === line.at && "step" })))));
  }

  /**
   * @param {BarcaResult | null} result
   * @param {number} ms
   */
  drawAdvice(result, ms) {
    const known = result ?? this.result;
    if (known?.result) {
      const won = known.winner ? fill(words.won, { side: barcaWords.board.sides[known.winner === "white" ? 0 : 1] }) : words.drawn;
      this.advice.replaceChildren(h("p", { class: "verdict" }, h("strong", {}, won), ` (${words.results[/** @type {keyof typeof words.results} */ (known.result)] ?? known.result})`));
      return;
    }
    if (!result?.moves || !result.eval) {
      this.advice.replaceChildren(h("p", { class: "quiet" }, text.analyse.thinking));
      return;
    }
    const side = barcaWords.board.sides[result.turn === "white" ? 0 : 1];
    const rows = result.moves.map(({ play, score, pv }, place) => h("li", { class: place === 0 && "best" },
      h("button", { type: "button", class: "play-row", onmouseenter: () => this.drawBoard(play), onfocus: () => this.drawBoard(play), onclick: () => this.play(play) },
        h("span", { class: "rank number" }, `${place + 1}.`), h("span", { class: "grade best" }, place === 0 ? text.analyse.marks.best : ""),
        h("span", { class: "play-name" }, play), h("span", { class: "play-equity number" }, formatScore(score)),
        h("span", { class: "play-chances" }, pv.split(" ").slice(1).join(" ")))));
    this.advice.replaceChildren(
      h("h2", {}, fill(words.best, { side }), explain(barcaWords.score)), h("ol", { class: "plays" }, ...rows),
      h("p", { class: "small quiet", role: "status" }, fill(words.status, { depth: result.eval.depth, time: formatSeconds(ms) })),
      h("p", { class: "small quiet" }, words.hint));
    this.advice.dataset.depth = String(result.eval.depth);
  }
}

/** @param {string} move */
function splitMove(move) {
  const [from, to] = move.split("-");
  return { from, to };
}

/** @param {number} score for the side to move */
function formatScore(score) {
  if (Math.abs(score) < LARGEST) return `${score > 0 ? "+" : score < 0 ? "\u2212" : ""}${Math.abs(score)}`;
  const plies = WIN - Math.abs(score);
  return score > 0 ? fill(words.wins, { moves: Math.ceil(plies / 2) }) : fill(words.loses, { moves: Math.floor(plies / 2) });
}
