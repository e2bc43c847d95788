/** The tables that this browser has keys to, kept between visits. */

import { keep, recall } from "../storage.js";

const KEY = "gammond.tables";
/** How many are kept: those at which a seat is held and something is played, those that are over, those that were only watched. */
const MOST = { played: 500, over: 200, watched: 12 };
/** How many keys are kept of a table: those of both seats, and of the links by which they were taken. */
const MOST_TOKENS = 4;

/**
 * @typedef {object} KnownTable
 * @property {string} table
 * @property {string[]} tokens keys of the seats held here; of a table that is watched, its spectators'
 * @property {boolean} [isSeat] whether a seat is held here
 * @property {string | null} invitation key of the seat that is given away by a link
 * @property {string | null} watch key for spectators
 * @property {string} title
 * @property {boolean} [isOver] whether its match is finished, or the table has ended
 * @property {number} at when it was last opened, as milliseconds
 */

/** @returns {KnownTable[]} the last opened first */
export function listTables() {
  const kept = recall(KEY);
  return Array.isArray(kept) ? kept.filter((each) => typeof each?.table === "string") : [];
}

/** @param {string} table */
export function findTable(table) {
  return listTables().find((each) => each.table === table);
}

/**
 * Keep a table with what is known of it now: keys of seats stay when it is opened to watch, and beside other ones.
 *
 * @param {Partial<KnownTable> & {table: string, tokens: string[], isSeat: boolean}} opened
 */
export function keepTable(opened) {
  const { table } = opened;
  const known = findTable(table);
  const isWatched = known?.isSeat && !opened.isSeat;
  const tokens = isWatched ? known.tokens : [...opened.tokens, ...(known?.isSeat ? known.tokens : [])];
  write([
    { invitation: null, watch: null, title: table, ...known, ...opened, tokens: [...new Set(tokens)].slice(0, MOST_TOKENS),
      isSeat: opened.isSeat || !!known?.isSeat, at: Date.now() },
    ...listTables().filter((each) => each.table !== table),
  ]);
}

/**
 * Note whether nothing more is played at a table; its keys stay, for its record.
 *
 * @param {string} table
 * @param {boolean} isOver
 */
export function markOver(table, isOver) {
  const known = findTable(table);
  if (known && !!known.isOver !== isOver) write(listTables().map((each) => (each.table === table ? { ...each, isOver } : each)));
}

/** @param {KnownTable[]} tables the last opened first */
function write(tables) {
  const left = { ...MOST };
  // Without storage the address of the page is the only key.
  keep(KEY, tables.filter(({ isSeat, isOver }) => left[isSeat ? (isOver ? "over" : "played") : "watched"]-- > 0));
}

/**
 * The address of a table's page, with keys.
 *
 * @param {string} table
 * @param {(string | null)[]} tokens
 */
export function tableHash(table, tokens) {
  return `#/t/${encodeURIComponent(table)}/${tokens.filter(Boolean).map((token) => encodeURIComponent(/** @type {string} */ (token))).join(",")}`;
}

/**
 * The whole address, to be sent to somebody.
 *
 * @param {string} table
 * @param {string} token
 */
export function tableLink(table, token) {
  return `${location.origin}${location.pathname}${tableHash(table, [token])}`;
}
