/** The games that the page plays and analyses, a row for each. */

import { barca } from "./barca/game.js";
import { backgammon } from "./play/backgammon.js";
import { fill, text, wordFor } from "./text.js";

/** @import { TableView } from "./play/table_view.js" */
/** @import { TableState } from "./types.js" */
/** @import { NewGameForm } from "./play/new_game.js" */

/**
 * @typedef {{openFile: (file: File) => void, openText: (words: string) => void, close: () => void}} AnalysisView
 *
 * @typedef {{draw: (state: TableState) => void, checkerBoard?: import("./board/backgammon.js").BackgammonBoard}} TableBoard
 *
 * @typedef {object} Game
 * @property {string} name its key in `GAMES`, which is a variant too
 * @property {boolean} hasDice
 * @property {boolean} hasCube
 * @property {boolean} hasMatches whether games win points, so that a resignation is offered by the side to act
 * @property {boolean} hasAdvice whether hints and the tutor know its moves
 * @property {boolean} isSquare whether its board is as high as it is wide
 * @property {string} moveHint an example of what is typed to move
 * @property {string} turn what the side to move is told; empty where the phase says more
 * @property {Record<string, string>} levels what the levels of its engine are called; none for a game without
 * @property {string[]} usualLevels of an engine, and of its opponent; that in the middle where there is none
 * @property {(isTwoMoves: boolean, levels: string[]) => string[]} listLevels those of its levels that know the doubles that are played
 * @property {Record<string, string>} variants what its variants are called
 * @property {Record<string, string>} resultKinds how it can be won that `text.js` has no words for
 * @property {string[][]} help headings of the page of help, each with its paragraphs
 * @property {(state: TableState, seat: number) => 0 | 1} findSide the side of a seat: 0 for light or white, 1 for dark or black
 * @property {(view: TableView) => TableBoard} makeBoard
 * @property {() => HTMLElement[]} makeTools buttons of its own below a table
 * @property {(state: TableState) => string[]} listResignations what can be resigned, in words, from one point on
 * @property {(state: TableState) => string} address of the position in the analysis; empty for none
 * @property {(body: HTMLElement, line: import("./socket.js").LineSocket, position: string) => Promise<AnalysisView>} [openAnalysis] opens
 *   the view of a position, for a game that has one of its own
 * @property {(state: TableState) => boolean} hasRecord whether match files can hold what is played
 * @property {(form: NewGameForm) => {length: number, cube: boolean} & Record<string, unknown>} readRules what `create` is told of the rules
 * @property {(offer: any) => string[]} listRules the rules of a table as facts
 *
 * @typedef {"variants" | "moveHint" | "help" | "makeBoard"} OwnParts what a game has to say; for the rest there are `DEFAULTS`
 * @typedef {Pick<Game, OwnParts> & Partial<Game>} GameRow
 */

/** @type {Omit<Game, OwnParts | "name">} */
const DEFAULTS = {
  hasDice: false, hasCube: false, hasMatches: false, hasAdvice: false, isSquare: false,
  turn: text.table.yourMove, levels: {}, usualLevels: [], listLevels: (_, levels) => levels, resultKinds: {},
  findSide: ({ white = 0 }, seat) => (seat === white ? 0 : 1),
  makeTools: () => [], listResignations: () => [text.table.resignKinds[0]], address: () => "", hasRecord: () => false,
  readRules: () => ({ length: 0, cube: false }), listRules: () => [],
};

/** @type {[string, GameRow][]} */
const ROWS = Object.entries({ backgammon, barca });

/** @type {Record<string, Game>} */
export const GAMES = Object.fromEntries(ROWS.map(([name, row]) => [name, { ...DEFAULTS, ...row, name }]));

/** What the variants of all games are called. @type {Record<string, string>} */
export const VARIANTS = Object.assign({}, ...ROWS.map(([, { variants }]) => variants));

/** What the levels of all engines are called. @type {Record<string, string>} */
export const LEVELS = Object.assign({}, ...ROWS.map(([, { levels }]) => levels));

/**
 * The game of a variant.
 *
 * @param {string | undefined} variant
 */
export function findGame(variant = "") {
  return Object.hasOwn(GAMES, variant) ? GAMES[variant] : GAMES.backgammon;
}

/**
 * What is played at a table, as facts: the game, the length of the match, its rules, the clock.
 *
 * @param {{variant: string, clock: {bank_s: number | number[], move_s: number} | null, [rule: string]: any}} offer or the state of a table
 * @returns {string[]}
 */
export function listFacts(offer) {
  const { variant, clock } = offer;
  const words = text.table.facts;
  const facts = [wordFor(VARIANTS, variant), ...findGame(variant).listRules(offer)];
  if (!clock) return [...facts, words.noClock];
  const bank = Math.max(...[clock.bank_s].flat());
  return [...facts, fill(words.clock, { bank: fill(words.minutes, { count: Math.round(bank / 6) / 10 }), move: clock.move_s })];
}
