/**
 * Types of what the server sends (docs/reference/web.md), whatever the game or for backgammon; for editors and `tsc` only.
 *
 * @typedef {[number, number, number]} Step from, to, next node of the tree
 * @typedef {{moves: Step[], play: string | null}} TreeNode
 * @typedef {{value: number, owner: 0 | 1 | null, offered?: boolean, beavered?: boolean, may_double?: boolean, may_beaver?: boolean}} Cube
 * @typedef {{kind: "person" | "open" | "engine", name?: string, player?: string, level?: string | null, here?: boolean}} Seat
 * @typedef {{n: number, seat: number, dice: number[] | null, text: string, kind: string, xgid_before?: string}} Entry
 * @typedef {{bank_s: number[], move_s: number, running: number | null, delay_s?: number, at?: number}} Clock
 * @typedef {{commitment: string, game_seed_revealed: string | null, seed_commitments: string[], awaits_seeds: number[],
 *   client_seeds: string[], rolls: number, earlier_seeds: string[], earlier_client_seeds: string[][],
 *   earlier_seed_commitments: string[][], next_commitment: string | null, next_seed_commitments: string[]}} Fair
 * @typedef {{winner: 0 | 1 | null, points: number, kind: string}} Result
 *
 * @typedef {object} BoardState what a board of backgammon shows
 * @property {number[][]} checkers by seat, in the seat's own numbering: 0 off, 1..24, 25 bar
 * @property {number[]} [pips]
 * @property {number[] | null} [dice]
 * @property {number} [on_roll]
 * @property {Cube | null} [cube]
 * @property {number[]} [score]
 * @property {number} [length] points of the match, 0 for money
 * @property {"four" | "two"} [doubles] checker moves of a double
 * @property {boolean} [crawford] whether the cube is not used in this game
 *
 * @typedef {BoardState & {game: string, variant: string, length: number, score: number[], crawford: boolean,
 *   jacoby: boolean, beavers: boolean, seats: Seat[], phase: string, to_act: number | null, on_roll: number, cube: Cube | null,
 *   resignation: number, gnubgid?: string, matchid?: string, xgid?: string, tree?: TreeNode[] | null, result: Result | null,
 *   match_winner: number | null, clock: Clock | null, fair: Fair | null, white?: number, can_undo: boolean, can_redo: boolean,
 *   request?: {seat: number, what: string} | null, may_pause?: boolean, undo?: boolean, awaits_dice?: unknown,
 *   paused: boolean, history?: Entry[],
 *   dice_source?: string, pace_ms?: number, game_number: number}} TableState
 *
 * @typedef {{moves: number[][], className: string, seat?: 0 | 1}} Arrow
 * @typedef {{seat: number, moves: number[][]}} LastPlay checker moves in the numbering of the seat
 *
 * @typedef {{table: string, variant: string, length: number, seats: Seat[], phase: string, score: number[],
 *   doubles: string, begins: 0 | 1 | null, crawford: boolean, jacoby: boolean, beavers: boolean, cube: boolean, dice: string, undo: boolean, fair: Fair | null,
 *   clock: {bank_s: number, move_s: number} | null, invited: number | null}} Offer what is played at a table
 */
export {};
