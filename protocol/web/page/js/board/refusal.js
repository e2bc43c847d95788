/** Why a checker cannot move, for people who press it: the legal plays are the server's, here they are only explained. */

const HOME = 6;

/**
 * The reason, as a key of the texts.
 *
 * @param {number[]} own checkers of the side that moves, by its points: 0 off, 25 the bar
 * @param {number[]} theirs those of the other side, by its own points
 * @param {number} point of the checker, from which it has no legal move
 * @param {number[]} dice that are left
 * @returns {"played" | "bar" | "off" | "blocked" | "home" | "highest" | "both"}
 */
export function explainRefusal(own, theirs, point, dice) {
  if (!dice.length) return "played";
  if (point === 0) return "off";
  if (own[25] > 0 && point !== 25) return "bar";
  const goals = [...new Set(dice)].map((die) => point - die);
  const open = goals.filter((goal) => goal <= 0 || theirs[25 - goal] < 2);
  if (!open.length) return "blocked";
  if (open.some((goal) => goal > 0)) return "both";
  if (own.some((count, place) => count > 0 && place > HOME)) return "home";
  return own.some((count, place) => count > 0 && place > point) && open.every((goal) => goal < 0) ? "highest" : "both";
}
