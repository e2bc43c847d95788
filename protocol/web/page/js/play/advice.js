/** What the engine says about the decision at a table. */

/** @import { TableState } from "../types.js" */
/** @import { CubeAnswer, RankedPlay } from "../analyse/questions.js" */

/** Load what the page of analysis has for plays and numbers; a game without hints does without it. */
export async function loadAnalysis() {
  const [numbers, lists, plays, cube] = await Promise.all([
    import("../analyse/numbers.js"), import("../analyse/play_list.js"), import("../analyse/plays.js"), import("../analyse/cube_advice.js"),
  ]);
  return { ...numbers, ...lists, ...plays, ...cube };
}

/** As the page of analysis looks at a position, unless it is told to look deeper. */
const PLIES = 2;
const FILTER = "huge";
const USUAL = "backgammon";

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
    const query = { ...this.about(state), want: ["moves"], filter: FILTER, plies: PLIES, priority: 20 };
    return (await this.ask(query)).results[0]?.moves ?? [];
  }

  /**
   * What a play loses against the best one, both at one depth, also where the move filter did not let it through.
   *
   * @param {TableState} state
   * @param {string} play
   * @returns {Promise<{loss?: number, mwc_loss: number, best: string, plies: number}>}
   */
  async comparePlay(state, play) {
    this.stop();
    const lines = [`set game.variant ${state.variant}`, `position xgid ${state.xgid}`, `rank plies=${PLIES} filter=${FILTER} ${play}`];
    const answers = Promise.all(lines.map((line) => this.line.command(line)));
    // Queries of other views that name no variant are about backgammon.
    if (state.variant !== USUAL) this.line.command(`set game.variant ${USUAL}`).catch(() => {});
    const [answer] = (await answers)[2].slice(-1);
    return answer;
  }

  /**
   * The cube decision.
   *
   * @param {TableState} state
   * @returns {Promise<CubeAnswer>}
   */
  async askCube(state) {
    const query = { ...this.about(state), want: ["cube"], plies: PLIES, priority: 20 };
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
