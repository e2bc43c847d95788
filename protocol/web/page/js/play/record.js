/** The record that the server keeps of a table. */

import { fetchJson, makeQuery } from "../server.js";

const NEWEST = 100;
/** A busy server writes the record some time after the last event of the game. */
const TRIES = 10;
const PAUSE_MS = 300;

/**
 * Find the number under which the server keeps the record of a table's games.
 *
 * @param {import("./table_view.js").TableView} view
 * @returns {Promise<number | null>} null where it keeps none, as of games that began with another position
 */
export async function findRecord({ state, table }) {
  const player = state?.seats.find(({ kind }) => kind === "person")?.name;
  for (let tries = TRIES; tries > 0; tries -= 1) {
    const { games } = await fetchJson(`games${makeQuery({ limit: NEWEST, player })}`);
    const record = games.find((/** @type {any} */ each) => each.table === table && each.format);
    if (record) return record.id;
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
  return null;
}
