/** The record that the server keeps of a table. */

import { fetchJson, makeQuery } from "../progress/server.js";

const NEWEST = 100;

/**
 * Find the number under which the server keeps the record of a table's games.
 *
 * @param {import("./table_view.js").TableView} view
 * @returns {Promise<number | null>} null where it keeps none, as of games that began with another position
 */
export async function findRecord({ state, table }) {
  const player = state?.seats.find(({ kind }) => kind === "person")?.name;
  const { games } = await fetchJson(`games${makeQuery({ limit: NEWEST, player })}`);
  return games.find((/** @type {any} */ each) => each.table === table && each.format)?.id ?? null;
}
