/**
 * All text of the page, in English. `{word}` is a place for a value, filled by `fill`.
 * A translation is this file with other values.
 */
export const text = {
  app: {
    play: "Play",
    analyse: "Analyse",
    progress: "Progress",
    help: "Help",
    lost: "The connection is lost. Trying again …",
    back: "Connected again.",
    pageFailed: "This page could not be opened: {reason}",
    noPage: "There is no such page.",
  },
  board: {
    board: "Board",
    point: "{point}-point",
    bar: "bar",
    off: "borne off",
    mine: "my",
    theirs: "their",
    empty: "empty",
    checker: "{count} checker of {whose}",
    checkers: "{count} checkers of {whose}",
    me: "mine",
    opponent: "the opponent",
    movable: "can move to {places}",
    goal: "the checker can come here",
    picked: "picked up",
    picking: "Picked up the checker from {place}. It can go to {places}.",
    putBack: "Put back.",
    offPlace: "off",
    cube: "Cube at {value}",
    dice: "Dice {dice}",
  },
  help: {
    title: "Help",
    parts: [
      ["Moving checkers", "Drag a checker, or press it and then one of the green places where it can go. Press a picked checker again to move it by the first die; press the dice before you move to change their order. Several dice can be moved at one go.",
        "Nothing is final before Done (or a press on the dice): Take back returns one checker at a time.",
        "Plays can be typed too, such as 8/5 6/5, bar/20 or 13/7(2)."],
      ["The cube", "On your turn, before the roll, Double offers the cube. The other side takes it and owns it then, or drops and loses the game at its old value."],
      ["Fair dice", "Before a game the server publishes a fingerprint (SHA-256) of its secret; each roll is made from this secret, what the players add to it, and the number of the roll. After the game the secret is shown, and Check the dice computes every roll again in your own browser."],
      ["Playing by a link", "A new game with an open seat has a link for this seat: send it to the person you want to play. The link is the key to the seat, so keep your own to yourself. Whoever has the watching link sees the game and cannot move."],
      ["Barca", "Animals move any number of empty squares along lines: mice along ranks and files, lions along diagonals, elephants along both. A mouse fears lions, a lion elephants, an elephant mice: no animal may stop beside one that it fears, and a scared one must go first. Three of your animals on watering holes win."],
    ],
    keysTitle: "Keys",
    keys: [
      ["Arrow keys", "go from point to point on the board"],
      ["Enter or Space", "pick up a checker, put it down"],
      ["Escape", "put the checker back"],
      ["Backspace", "take the last checker back"],
      ["Enter", "Done, once a whole play is on the board"],
      ["R", "roll"],
      ["D", "double"],
      ["T", "take"],
      ["P", "pass (drop)"],
      ["H", "hint"],
      ["M", "type a play"],
      ["S", "say the score, the dice and the pips"],
      ["L", "say the last play"],
    ],
  },
};

/**
 * Put values into the places of a text.
 *
 * @param {string} pattern
 * @param {Record<string, string | number>} values
 */
export function fill(pattern, values) {
  return pattern.replace(/\{(\w+)\}/g, (place, name) => (name in values ? String(values[name]) : place));
}
