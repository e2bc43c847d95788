/** The tables that this browser has keys to, kept between visits. */

const KEY = "gammond.tables";
const MOST = 12;

/**
 * @typedef {object} KnownTable
 * @property {string} table
 * @property {string[]} tokens keys of the seats held here
 * @property {string | null} invitation key of the seat that is given away by a link
 * @property {string | null} watch key for spectators
 * @property {string} title
 * @property {boolean} [isOver] whether its match is finished, or the table has ended
 * @property {number} at when it was last opened, as milliseconds
 */

/** @returns {KnownTable[]} the last opened first */
export function listTables() {
  try {
    const kept = JSON.parse(localStorage.getItem(KEY) ?? "[]");
    return Array.isArray(kept) ? kept.filter((each) => typeof each?.table === "string") : [];
  } catch {
    return [];
  }
}

/** @param {string} table */
export function findTable(table) {
  return listTables().find((each) => each.table === table);
}

/** @param {KnownTable} known */
export function keepTable(known) {
  write([known, ...listTables().filter(({ table }) => table !== known.table)].slice(0, MOST));
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

/** @param {KnownTable[]} tables */
function write(tables) {
  try {
    localStorage.setItem(KEY, JSON.stringify(tables));
  } catch {
    // Without storage the address of the page is the only key.
  }
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
