/** Short sounds, made by the browser; silent unless they are wanted. */

import { preferences } from "../preferences.js";

/** @type {AudioContext | null} */
let audio = null;

const SOUNDS = { roll: [620, 480, 700, 530], move: [330], cube: [520, 780], end: [440, 550, 660, 880] };

/** @param {keyof typeof SOUNDS} name */
export function playSound(name) {
  if (!preferences.get("sound")) return;
  audio ??= new AudioContext();
  SOUNDS[name].forEach((pitch, index) => click(/** @type {AudioContext} */ (audio), pitch, index * 0.07));
}

/**
 * @param {AudioContext} context
 * @param {number} pitch hertz
 * @param {number} delay seconds
 */
function click(context, pitch, delay) {
  const start = context.currentTime + delay;
  const tone = context.createOscillator();
  const volume = context.createGain();
  tone.type = "triangle";
  tone.frequency.value = pitch;
  volume.gain.setValueAtTime(0.12, start);
  volume.gain.exponentialRampToValueAtTime(0.0001, start + 0.09);
  tone.connect(volume).connect(context.destination);
  tone.start(start);
  tone.stop(start + 0.1);
}
