/** What the engine says about the decision at a table. */

/**
 * @typedef {import("../types.js").TableState} TableState
 * @typedef {import("../analyse/questions.js").RankedPlay} RankedPlay
 * @typedef {import("../analyse/questions.js").CubeAnswer} CubeAnswer
 */

/** Load what the page of analysis has for plays and numbers; a game without hints does without it. */
export async function loadAnalysis() {
  const [numbers, lists, plays] = await Promise.all([
    import("../analyse/numbers.js"), import("../analyse/play_list.js"), import("../analyse/plays.js"),
  ]);
  return { ...numbers, ...lists, ...plays };
}

const PLIES = 2;
const CUBE_PLIES = 2;

/** Asks one question at a time; a new one stops the one before. */
export class Advice {
  /** @param {import("../socket.js").LineSocket} line */
  constructor(line) {
    this.line = line;
    this.control = new AbortController();
  }

  stop() {
    this.control.abort();
    this.control = new AbortController();
  }

  /**
   * The plays of the roll, best first.
   *
   * @param {TableState} state
   * @returns {Promise<RankedPlay[]>}
   */
  async rankPlays(state) {
    const query = { ...this.about(state), want: ["moves"], plies: PLIES, priority: 20 };
    return (await this.ask(query)).results[0]?.moves ?? [];
  }

  /**
   * The cube decision.
   *
   * @param {TableState} state
   * @returns {Promise<CubeAnswer>}
   */
  async judgeCube(state) {
    const query = { ...this.about(state), want: ["cube"], plies: CUBE_PLIES, priority: 20 };
    return (await this.ask(query)).results[0].cube;
  }

  /** @param {TableState} state */
  about(state) {
    return { variant: state.variant, position: state.xgid };
  }

  /** @param {Record<string, any>} query */
  ask(query) {
    this.stop();
    return this.line.query(query, { signal: this.control.signal });
  }
}
