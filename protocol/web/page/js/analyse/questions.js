/** What the analysis asks the server: JSON queries for numbers, commands for positions. */

import { findEquity } from "./numbers.js";
import { CHECKERS, formatXgid, parseXgid } from "./xgid.js";

/** @import { CubeValues } from "./cube_words.js" */
/** @import { LineSocket } from "../socket.js" */
/** @import { Setting } from "./xgid.js" */

/**
 * @typedef {object} Evaluation chances before the roll of who is on roll, after a play of who made it
 * @property {number} win
 * @property {number} win_g
 * @property {number} win_bg
 * @property {number} lose_g
 * @property {number} lose_bg
 * @property {number} equity
 * @property {number} [cubeful]
 * @property {number} [mwc]
 * @property {number} plies
 * @property {boolean} [unscaled] whether equities with the cube are left out, since points have no scale here
 *
 * @typedef {Evaluation & {play: string, survived: boolean}} RankedPlay
 *
 * @typedef {CubeValues & {action: string, double: boolean, plies: number, unscaled?: boolean}} CubeAnswer
 *
 * @typedef {{eval?: Evaluation, moves?: RankedPlay[], cube?: CubeAnswer, plies: number, ms: number}} Advice
 */

const HINT_PRIORITY = 20;
const USUAL = "backgammon";
/** The move filter by depth: wide, so that the plays that people consider are compared at one depth. */
const FILTERS = ["normal", "huge", "huge", "large", "large"];

/** Asks about positions of one variant. */
export class Questions {
  /**
   * @param {LineSocket} line
   * @param {string} variant
   */
  constructor(line, variant) {
    this.line = line;
    this.variant = variant;
  }

  /**
   * Read a position in any format that the server knows, with whatever stands around it.
   *
   * @param {string} words
   */
  async readPosition(words) {
    const line = words.trim().replace(/\s+/g, " ");
    return this.parse((await this.change([`position gnubgid ${line}`])).xgid);
  }

  /**
   * Carry out a play or a cube action; a beaver is taken at once, as `parseXgid` does.
   *
   * @param {Setting} setting
   * @param {string} play as for the command `play`
   * @returns {Promise<{setting: Setting, result: import("./setting_words.js").GameResult | null}>} what comes after it, and
   *   how the game ended by it
   */
  async play(setting, play) {
    const more = play === "beaver" ? ["play take"] : [];
    const after = await this.change([`position xgid ${formatXgid(setting)}`, `play ${play}`, ...more]);
    const result = after.winner ? { winner: after.winner === "p1" ? 1 : 0, points: after.points, kind: after.result } : null;
    return { setting: this.parse(after.xgid), result };
  }

  /**
   * Roll the server's dice for a position.
   *
   * @param {Setting} setting
   */
  async roll(setting) {
    return this.parse((await this.change([`position xgid ${formatXgid(setting)}`, "roll"])).xgid);
  }

  /** @param {string} xgid */
  parse(xgid) {
    return parseXgid(xgid, CHECKERS[this.variant]);
  }

  /**
   * Send commands about a position.
   *
   * @param {string[]} commands
   * @returns {Promise<any>} the last object of the last answer, which of a position has the XGID
   */
  async change(commands) {
    const settings = [`set game.variant ${this.variant}`, "set engine.xgid true"];
    const answers = Promise.all([...settings, ...commands].map((command) => this.line.command(command)));
    // Queries of other views that name no variant are about backgammon.
    if (this.variant !== USUAL) this.line.command(`set game.variant ${USUAL}`).catch(() => {});
    return (await answers).at(-1)?.at(-1);
  }

  /**
   * Ask for what to do in a position: plays where dice are set, else the value and the cube action.
   *
   * @param {Setting} setting
   * @param {number} plies
   * @param {AbortSignal} signal
   * @returns {Promise<Advice>}
   */
  async advise(setting, plies, signal) {
    const start = performance.now();
    const want = setting.dice ? ["moves"] : ["eval", "cube"];
    const query = { ...this.about(setting), want, plies, filter: FILTERS[plies], priority: HINT_PRIORITY };
    const { results, plies: reached } = await this.line.query(query, { signal });
    return { ...results[0], plies: reached, ms: performance.now() - start };
  }

  /**
   * Ask what a play loses against the best one, both at one depth, also where the move filter did not let it through.
   *
   * @param {string} xgid
   * @param {string} play
   * @param {number} plies
   * @returns {Promise<{loss?: number, mwc_loss: number, best: string, plies: number}>}
   */
  comparePlay(xgid, play, plies) {
    return this.change([`position xgid ${xgid}`, `rank plies=${plies} filter=${FILTERS[plies]} ${play}`]);
  }

  /**
   * Ask for the cube action, also while dice are set.
   *
   * @param {Setting | string} setting or its XGID
   * @param {number} plies
   * @param {AbortSignal} [signal]
   * @returns {Promise<CubeAnswer>}
   */
  async adviseCube(setting, plies, signal) {
    const query = { ...this.about(setting), want: ["cube"], plies, priority: HINT_PRIORITY };
    return (await this.line.query(query, { signal })).results[0].cube;
  }

  /**
   * Ask what each roll is worth with its best play at 0-ply.
   *
   * @param {Setting} setting
   * @param {number[][]} rolls
   * @param {AbortSignal} signal
   * @returns {Promise<Map<string, {equity: number | null, mwc?: number, play: string}>>} by the two dice
   */
  async askRolls(setting, rolls, signal) {
    const positions = rolls.map((dice) => formatXgid({ ...setting, dice }));
    const query = { variant: this.variant, positions, want: ["moves"], max_moves: 1 };
    const { results } = await this.line.query(query, { signal });
    return new Map(results.map((/** @type {any} */ { moves: [best] }, /** @type {number} */ place) =>
      [rolls[place].join(""), { equity: findEquity(best), mwc: best.mwc, play: best.play }]));
  }

  /**
   * Ask how the checkers can be moved one by one.
   *
   * @param {Setting} setting
   * @returns {Promise<import("../types.js").TreeNode[]>}
   */
  async askTree(setting) {
    return (await this.line.query({ ...this.about(setting), want: ["tree"] })).results[0].tree;
  }

  /**
   * Ask for the cube action at every score.
   *
   * @param {Setting} setting
   * @param {{away: number, plies: number, cube: number}} size
   * @param {{signal?: AbortSignal, onProgress?: (progress: any) => void}} options
   */
  async askMatrix(setting, { away, plies, cube }, { signal, onProgress }) {
    const fields = { want: ["matrix"], away, plies, cube, equities: true, progress_every: 1 };
    return (await this.line.query({ ...this.about(setting), ...fields }, { signal, onProgress })).results[0].matrix;
  }

  /**
   * Roll out plays, the position or the cube decision.
   *
   * @param {Setting} setting
   * @param {Record<string, any>} rollout
   * @param {{signal?: AbortSignal, onProgress?: (progress: any) => void}} options
   */
  async rollOut(setting, rollout, { signal, onProgress }) {
    const fields = { want: ["rollout"], rollout, progress_every: 1 };
    return (await this.line.query({ ...this.about(setting), ...fields }, { signal, onProgress })).results[0].rollout;
  }

  /** @param {Setting | string} setting or its XGID */
  about(setting) {
    return { variant: this.variant, position: typeof setting === "string" ? setting : formatXgid(setting) };
  }
}
