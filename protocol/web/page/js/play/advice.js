/** What the page of analysis has for what the engine says about the decision at a table. */

/** As the page of analysis looks at a position, unless it is told to look deeper. */
export const PLIES = 2;

/** Load it; a game without hints does without it. */
export async function loadAnalysis() {
  const [numbers, lists, plays, cube, words, questions, xgid] = await Promise.all([
    import("../analyse/numbers.js"), import("../analyse/play_list.js"), import("../analyse/plays.js"), import("../analyse/cube_advice.js"),
    import("../analyse/cube_words.js"), import("../analyse/questions.js"), import("../analyse/xgid.js"),
  ]);
  return { ...numbers, ...lists, ...plays, ...cube, ...words, ...questions, ...xgid };
}
