/** The plays of a roll as the server sends them: a tree of checker moves, walked here without any rules. */

/** @import { TreeNode } from "../types.js" */
/** @typedef {{from: number, to: number, node: number}} Walked */

/**
 * All places that one checker can reach from here, each by the shortest way; of ways of one length, by the first die
 * first.
 *
 * @param {TreeNode[]} tree
 * @param {number} node
 * @param {number} from
 * @param {number[]} dice the die to be used first, first
 * @returns {Map<number, Walked[]>} the steps to each place
 */
export function reach(tree, node, from, dice) {
  /** @type {Map<number, Walked[]>} */
  const found = new Map();
  /** @type {{place: number, node: number, way: Walked[]}[]} */
  let front = [{ place: from, node, way: [] }];
  while (front.length) {
    const next = [];
    for (const { place, node: at, way } of front) {
      if (place === 0) continue;
      const moves = tree[at].moves.filter((move) => move[0] === place)
        .sort((one, other) => order(one, dice) - order(other, dice));
      for (const [start, to, then] of moves) {
        const steps = [...way, { from: start, to, node: then }];
        if (!found.has(to)) {
          found.set(to, steps);
          next.push({ place: to, node: then, way: steps });
        }
      }
    }
    front = next;
  }
  return found;
}

/**
 * @param {number[]} move
 * @param {number[]} dice
 */
function order([from, to], dice) {
  const index = dice.indexOf(from - to);
  return index === -1 ? dice.length : index;
}

/**
 * The places from which a checker can move now.
 *
 * @param {TreeNode[]} tree
 * @param {number} node
 */
export function starts(tree, node) {
  return new Set(tree[node].moves.map(([from]) => from));
}

/**
 * The only whole play, as steps, or null if there are several.
 *
 * @param {TreeNode[]} tree
 * @returns {Walked[] | null}
 */
export function onlyPlay(tree) {
  const whole = new Set(tree.map(({ play }) => play).filter((play) => play !== null));
  if (whole.size !== 1) return null;
  return wayTo(tree, (node) => node.play !== null);
}

/**
 * Steps from the start to the first node that is wanted.
 *
 * @param {TreeNode[]} tree
 * @param {(node: TreeNode) => boolean} wanted
 * @returns {Walked[] | null}
 */
export function wayTo(tree, wanted) {
  /** @type {{node: number, way: Walked[]}[]} */
  const front = [{ node: 0, way: [] }];
  const seen = new Set([0]);
  for (const { node, way } of front) {
    if (wanted(tree[node])) return way;
    for (const [from, to, then] of tree[node].moves) {
      if (seen.has(then)) continue;
      seen.add(then);
      front.push({ node: then, way: [...way, { from, to, node: then }] });
    }
  }
  return null;
}

/**
 * The dice that steps have used, as marks: exactly the die, else the smallest one that is large enough to bear off.
 *
 * @param {number[]} dice one entry for each checker move that the roll gives
 * @param {Walked[]} steps
 * @returns {boolean[]}
 */
export function usedDice(dice, steps) {
  const used = dice.map(() => false);
  for (const { from, to } of steps) {
    const free = dice.map((_, index) => index).filter((index) => !used[index]);
    const exact = free.find((index) => dice[index] === from - to);
    const larger = free.filter((index) => dice[index] > from - to).sort((one, other) => dice[one] - dice[other])[0];
    const index = exact ?? larger;
    if (index !== undefined) used[index] = true;
  }
  return used;
}

/**
 * Move one checker on a board, with a hit.
 *
 * @param {number[][]} checkers by seat, own numbering; not changed
 * @param {number} seat
 * @param {number} from
 * @param {number} to
 */
export function moveChecker(checkers, seat, from, to) {
  const after = checkers.map((row) => row.slice());
  after[seat][from] -= 1;
  after[seat][to] += 1;
  const theirs = 25 - to;
  if (to > 0 && after[1 - seat][theirs] > 0) {
    after[1 - seat][25] += after[1 - seat][theirs];
    after[1 - seat][theirs] = 0;
  }
  return after;
}

/**
 * Pips to go.
 *
 * @param {number[]} row
 */
export function countPips(row) {
  return row.reduce((sum, count, point) => sum + count * point, 0);
}
