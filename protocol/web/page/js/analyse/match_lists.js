/** Lists of a match: the errors with filters, and the moves of each game. */

import { choice, h, labelled } from "../dom.js";
import { fill, text } from "../text.js";
import { hasOwner, isDoubled, nameCubeAction } from "./cube_words.js";
import { explain } from "./explain.js";
import { BLUNDER, ERROR, getWorst, listErrors, sizeOf } from "./match_items.js";
import { classify, formatLoss, formatPercent, isLossOf } from "./numbers.js";
import { describeResult } from "./setting_words.js";

/** @import { Item, MatchRecord } from "./match_items.js" */

/** @typedef {{source: string, items: Item[]}} Other the same actions as another analysis has them */

const words = text.analyse.match;
const SIZES = [["0.0005", words.anySize], [String(ERROR), words.fromErrors], [String(BLUNDER), words.onlyBlunders]];

/** Events: `choose` (detail: an item). */
export class ErrorList extends EventTarget {
  constructor() {
    super();
    const redraw = () => this.draw();
    this.size = choice(/** @type {[string, string][]} */ (SIZES), String(ERROR), { onchange: redraw });
    this.seat = choice([["", words.both]], "", { onchange: redraw });
    this.kind = choice([["", words.allKinds], ["plays", words.kinds.plays], ["doubling", words.kinds.doubling], ["responses", words.kinds.responses]], "", { onchange: redraw });
    this.order = choice([["size", words.worstFirst], ["time", words.inOrder]], "size", { onchange: redraw });
    this.count = h("p", { class: "small quiet", role: "status" });
    this.list = h("ol", { class: "errors" });
    this.element = h("div", {}, h("div", { class: "row settings" }, labelled(words.size, this.size), labelled(words.player, this.seat),
      labelled(words.kind, this.kind), labelled(words.order, this.order), explain("errors")), this.count, this.list);
    /** @type {Item[]} */
    this.items = [];
    /** @type {string[]} */
    this.names = [];
    /** @type {Other | null} */
    this.other = null;
  }

  /**
   * @param {Item[]} items
   * @param {string[]} names
   * @param {Other | null} other another analysis
   */
  show(items, names, other) {
    this.items = items;
    this.names = names;
    this.other = other;
    const kept = this.seat.value;
    this.seat.replaceChildren(h("option", { value: "" }, words.both), ...names.map((name, seat) => h("option", { value: seat }, name)));
    this.seat.value = kept;
    this.draw();
  }

  get errors() {
    return listErrors(this.items, {
      least: Number(this.size.value), seat: this.seat.value === "" ? null : Number(this.seat.value), kind: this.kind.value,
      order: /** @type {"size" | "time"} */ (this.order.value),
    });
  }

  draw() {
    const { errors } = this;
    this.count.textContent = errors.length ? fill(words.errorCount, { count: errors.length }) : words.noErrors;
    this.list.replaceChildren(...errors.map(({ item, decision }) => {
      const quality = classify(sizeOf(decision));
      return h("li", {}, h("button", {
        type: "button", class: "error-row", "data-place": item.place, onclick: () => this.dispatchEvent(new CustomEvent("choose", { detail: item })),
      },
      h("span", { class: `grade ${quality}`, title: text.analyse.qualities[quality] }, text.analyse.marks[quality]),
      h("span", { class: "error-where small quiet" }, fill(words.where, { game: item.game + 1, move: item.action.move, name: this.names[decision.seat] }), h("span", { class: "other-loss" }, this.describeOther(item, decision))),
      h("span", { class: "error-what" }, decision.roll && h("b", {}, `${decision.roll}: `), nameCubeAction(decision.chosen, decision.xgid), " ",
        h("span", { class: "quiet" }, fill(words.insteadOf, { best: nameCubeAction(decision.best, decision.xgid) }))),
      h("span", { class: `error-size number ${quality}` }, formatLoss(decision.error)),
      h("span", { class: "error-mwc number small quiet" }, decision.error_mwc === null ? "" : fill(words.mwcLost, { mwc: formatPercent(decision.error_mwc, 2) })),
      h("span", { class: "unseen" }, text.analyse.qualities[quality])));
    }));
  }

  /**
   * What another analysis says that a decision lost; empty where it says nothing.
   *
   * @param {Item} item
   * @param {import("./match_items.js").Decision} decision
   */
  describeOther(item, decision) {
    const same = this.other?.items[item.place]?.decisions.find((each) => each.decision === decision.decision);
    return same ? fill(words.otherLoss, { source: this.other?.source ?? "", loss: formatLoss(same.error) }) : "";
  }
}

/** Events: `choose` (detail: an item). */
export class MoveList extends EventTarget {
  constructor() {
    super();
    this.element = h("div", { class: "move-list" });
    /** @type {HTMLElement | null} */
    this.current = null;
  }

  /**
   * @param {Item[]} items
   * @param {MatchRecord} record
   */
  show(items, record) {
    this.element.replaceChildren(...record.games.map((game, number) => {
      const own = items.filter((item) => item.game === number);
      const score = fill(words.scoreBefore, { one: game.score[0], two: game.score[1] });
      return h("details", { "data-game": number, name: "games", open: record.games.length === 1 },
        h("summary", {}, h("strong", {}, fill(words.game, { number: number + 1 })), ` ${score} `,
          h("span", { class: "quiet" }, describeResult(game.result, record.names, game.result_by_rules))),
        ...(game.missing ?? []).map((missing) => h("p", { class: "missing small" }, fill(words.missing, { missing }))),
        game.comment && h("p", { class: "comment" }, game.comment), this.drawGame(own, record.names));
    }));
  }

  /**
   * @param {Item[]} items
   * @param {string[]} names
   */
  drawGame(items, names) {
    /** @type {Map<number, (Item[])[]>} */
    const rows = new Map();
    for (const item of items) {
      const row = rows.get(item.action.move) ?? [[], []];
      row[item.action.seat].push(item);
      rows.set(item.action.move, row);
    }
    return h("table", { class: "match-moves" },
      h("thead", {}, h("tr", {}, h("th", { scope: "col" }, words.move), ...names.map((name) => h("th", { scope: "col" }, name)))),
      h("tbody", {}, ...[...rows].map(([move, cells]) => h("tr", {}, h("th", { scope: "row", class: "number" }, move),
        ...cells.map((cell) => h("td", {}, ...cell.map((item) => this.drawItem(item))))))));
  }

  /** @param {Item} item */
  drawItem(item) {
    const worst = getWorst(item);
    const quality = classify(worst);
    const isWrong = isLossOf(worst, ERROR) || quality === "inaccuracy";
    return h("button", {
      type: "button", class: "plain move", "data-place": item.place, onclick: () => this.dispatchEvent(new CustomEvent("choose", { detail: item })),
    }, describeAction(item.action), item.action.comment && h("span", { class: "has-comment", title: words.hasComment }, "\u270e"),
    isWrong && h("span", { class: `grade ${quality}`, title: text.analyse.qualities[quality] }, text.analyse.marks[quality],
      h("span", { class: "unseen" }, text.analyse.qualities[quality])));
  }

  /**
   * Show which item is on the board.
   *
   * @param {Item} item
   */
  mark(item) {
    this.current?.removeAttribute("aria-current");
    this.current = this.element.querySelector(`button[data-place="${item.place}"]`);
    this.current?.setAttribute("aria-current", "true");
    const game = this.current?.closest("details");
    if (game && !game.open) game.open = true;
    const [box, row] = [this.element.getBoundingClientRect(), this.current?.getBoundingClientRect()];
    if (row && this.element.scrollHeight > this.element.clientHeight && (row.top < box.top || row.bottom > box.bottom)) {
      this.element.scrollTop += row.top - box.top - box.height / 3;
    }
  }
}

/**
 * What was done, in words.
 *
 * @param {import("./match_items.js").RecordedAction} action
 */
export function describeAction(action) {
  switch (action.action) {
    case "play": return `${action.dice}: ${fill(action.illegal ? words.illegal : "{play}", { play: action.play === "pass" ? words.noMove : action.play ?? "" })}`;
    case "roll": return `${action.dice}: ${words.setByFile}`;
    case "double": return fill(isDoubled(action.xgid) ? words.beavers : hasOwner(action.xgid) ? words.redoubles : words.doubles, { cube: action.cube ?? "" });
    case "take": return words.takes;
    case "drop": return words.passes;
    case "resign": return fill(action.by_result ? words.losesByResult : words.resigns, { kind: action.resignation ?? "" });
    default: return "";
  }
}
