/** Plays in notation, as the server writes them: `24/18*(2) 13/7/5`, `bar/22`, `6/off`. */

/**
 * The checker moves of a play, from and to in the numbering of the side that plays; 25 is the bar, 0 off.
 *
 * @param {string} play
 * @returns {number[][]}
 */
export function parsePlay(play) {
  const moves = [];
  for (const word of play.trim().split(/\s+/)) {
    const found = /^([^(]+?)(?:\((\d)\))?$/.exec(word.replaceAll("*", ""));
    if (!found?.[1].includes("/")) continue;
    const places = found[1].split("/").map(toPlace);
    for (let times = Number(found[2] ?? 1); times > 0; times--) {
      for (let i = 0; i + 1 < places.length; i++) moves.push([places[i], places[i + 1]]);
    }
  }
  return moves;
}

/** @param {string} word */
function toPlace(word) {
  return word === "bar" ? 25 : word === "off" ? 0 : Number(word);
}
