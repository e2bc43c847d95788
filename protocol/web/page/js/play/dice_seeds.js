/** What this browser adds to the dice of a table, and what was promised there: docs/reference/tables.md#fair-dice. */

import { keep, recall } from "../storage.js";
import { checkDice, makeSeed, makeSeedCommitment } from "./fair_dice.js";

/** @import { Fair } from "../types.js" */

const MOST = 100;

/** The seeds of one table, and the commitments that were seen before what they are of was told; they outlast a reload. */
export class DiceSeeds {
  /** @param {string} table */
  constructor(table) {
    this.key = `gammond.dice.${table}`;
    /** @type {Record<string, string>} own seeds by their hashes */
    this.seeds = {};
    /** @type {Record<string, string[]>} by the hash of each secret that was promised, the hashes of the seeds for it */
    this.seen = {};
    /** @type {string[]} the hashes of secrets in use: no seed for them is taken any more */
    this.fixed = [];
    /** @type {Set<string>} what was sent, as it is not answered at once */
    this.sent = new Set();
    Object.assign(this, recall(this.key, "sessionStorage")); // without storage a reload forgets what was promised before it
  }

  /** Make a seed; return its hash, which can be told. */
  async add() {
    const seed = makeSeed();
    const hash = await makeSeedCommitment(seed);
    this.seeds[hash] = seed;
    this.keep();
    return hash;
  }

  keep() {
    const newest = (/** @type {Record<string, any>} */ all) => Object.fromEntries(Object.entries(all).slice(-MOST));
    const { seeds, seen, fixed } = this;
    keep(this.key, { seeds: newest(seeds), seen: newest(seen), fixed: fixed.slice(-MOST) }, "sessionStorage");
  }

  /**
   * Note what is promised, and list what is to be sent now: hashes of seeds for what comes next, seeds that are awaited.
   *
   * @param {Fair} fair
   * @param {number[]} seats those held here
   * @param {boolean} hasBegun whether a game has begun
   * @returns {Promise<{act: string, seat: number, seed?: string, seed_commitment?: string}[]>}
   */
  async answer(fair, seats, hasBegun) {
    const [next, pending] = hasBegun ? [fair.next_commitment, fair.next_seed_commitments] : [fair.commitment, fair.seed_commitments];
    if (next) this.seen[next] = pending;
    if (hasBegun && !fair.game_seed_revealed && !this.fixed.includes(fair.commitment)) {
      this.seen[fair.commitment] = fair.seed_commitments; // before one's own seed is told
      this.fixed.push(fair.commitment);
    }
    this.keep();
    const acts = [];
    for (const seat of seats) {
      const seed = this.seeds[fair.seed_commitments[seat]];
      if (fair.awaits_seeds.includes(seat) && seed) acts.push({ act: "tell_seed", seat, seed });
      if (next && !(pending[seat] in this.seeds) && !this.sent.has(`${next} ${seat}`)) {
        this.sent.add(`${next} ${seat}`);
        acts.push({ act: "commit_seed", seat, seed_commitment: await this.add() });
      }
    }
    return acts;
  }

  /**
   * Check secrets and seeds against what was promised, own seeds too, and every roll against them.
   *
   * @param {Fair} fair of a game that is over
   * @param {any[]} entries of its history
   * @param {number[]} seats those held here
   */
  async check(fair, entries, seats) {
    const found = await checkDice(fair, entries, this.seen);
    const given = [...fair.earlier_seed_commitments, fair.seed_commitments].map((hashes, which) => ({ hashes, told: [...fair.earlier_client_seeds, fair.client_seeds][which] }));
    const isOwn = seats.length > 0 && given.every(({ hashes, told }) => seats.every((seat) => told[seat] && told[seat] === this.seeds[hashes[seat]]));
    return { ...found, isOwn };
  }
}
