/** The twin of protocol/tables/dice.py: every roll of a game is made again from the secret that the server revealed. */

const FAIR_BYTES = 256 - (256 % 6);

/** Whether this browser can compute hashes here: only on localhost and over https. */
export function canCheckDice() {
  return !!globalThis.crypto?.subtle;
}

/** A seed that nobody can guess, to be added to the server's secret. */
export function makeSeed() {
  return toHex(crypto.getRandomValues(new Uint8Array(12)));
}

/**
 * The SHA-256 of a secret, in hexadecimal: what the server published before the game.
 *
 * @param {string} secret in hexadecimal
 */
export async function makeCommitment(secret) {
  return hash(fromHex(secret));
}

/**
 * The SHA-256 of a player's seed, in hexadecimal: what he published before any seed was told.
 *
 * @param {string} seed
 */
export async function makeSeedCommitment(seed) {
  return hash(new TextEncoder().encode(seed));
}

/** @param {Uint8Array<ArrayBuffer>} bytes */
async function hash(bytes) {
  return toHex(new Uint8Array(await crypto.subtle.digest("SHA-256", bytes)));
}

/**
 * Make a roll.
 *
 * @param {string} secret in hexadecimal
 * @param {string[]} seeds those of seats 0 and 1
 * @param {number} number which roll, from 1
 * @returns {Promise<[number, number]>}
 */
export async function makeRoll(secret, seeds, number) {
  const key = await crypto.subtle.importKey("raw", fromHex(secret), { name: "HMAC", hash: "SHA-256" }, false, ["sign"]);
  const message = `${seeds[0]},${seeds[1]}|${number}`;
  /** @type {number[]} */
  const dice = [];
  for (let block = 0; dice.length < 2; block++) {
    const bytes = new TextEncoder().encode(block ? `${message}|${block}` : message);
    const digest = new Uint8Array(await crypto.subtle.sign("HMAC", key, bytes));
    dice.push(...[...digest].filter((byte) => byte < FAIR_BYTES).map((byte) => (byte % 6) + 1));
  }
  return [dice[0], dice[1]];
}

/**
 * @typedef {{number: number, dice: number[], expected: number[], isRight: boolean}} CheckedRoll
 *
 * Check secrets and seeds against what was published before, and every roll against both.
 *
 * @param {import("../types.js").Fair} fair
 * @param {{fair_roll?: number, fair_secret?: number, dice: number[] | null}[]} entries of the game's history
 * @param {Record<string, string[]>} seen by the commitments of secrets that were seen before, those of the seeds
 * @returns {Promise<{isKept: boolean, areSeedsKept: boolean, rolls: CheckedRoll[]}>}
 */
export async function checkDice(fair, entries, seen) {
  if (!fair.game_seed_revealed) throw new Error("the secret is not revealed yet");
  const secrets = [...fair.earlier_seeds, fair.game_seed_revealed];
  const seeds = [...fair.earlier_client_seeds, fair.client_seeds];
  const commitments = [...fair.earlier_seed_commitments, fair.seed_commitments];
  let isKept = true;
  let areSeedsKept = true;
  for (const [which, secret] of secrets.entries()) {
    const promised = seen[await makeCommitment(secret)];
    isKept &&= promised !== undefined;
    for (const [seat, commitment] of commitments[which].entries()) {
      const told = seeds[which][seat];
      areSeedsKept &&= commitment === (promised ?? commitments[which])[seat] && (!commitment || !told || (await makeSeedCommitment(told)) === commitment);
    }
  }
  const rolls = [];
  for (const { fair_roll: number, fair_secret: which = 0, dice } of entries) {
    if (number === undefined || !dice) continue;
    const expected = await makeRoll(secrets[which], seeds[which], number);
    const isRight = [...expected].sort().join() === [...dice].sort().join();
    rolls.push({ number, dice, expected, isRight });
  }
  return { isKept, areSeedsKept, rolls };
}

/** @param {Uint8Array} bytes */
function toHex(bytes) {
  return [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** @param {string} text */
function fromHex(text) {
  return new Uint8Array((text.match(/../g) ?? []).map((pair) => parseInt(pair, 16)));
}
