/**
 * The memory that the engine shares with the page. The offsets are those of engine.Shared in
 * web/play/engine/shared.go; a test compares them.
 *
 * @module
 */

/** The version of the layout and of the exported functions: engine.Version. */
export const VERSION = 1;

/** The offsets of the fields in bytes, and the lengths of the buffers in elements. */
export const LAYOUT = Object.freeze({
	STATE: 0, OWN: 256, INPUT: 448, USED: 512,
	IN: 544, IN_LENGTH: 2 << 10,
	OUT: 2592, OUT_LENGTH: 64 << 10,
	MESSAGES: 68_128, MESSAGES_LENGTH: 128 << 10,
	EVENTS: 199_200, EVENTS_LENGTH: 128 << 10,
	SNAPSHOTS: 330_272, SNAPSHOTS_LENGTH: 48 << 10,
});

/** Indices in STATE. */
export const STATE = Object.freeze({
	CONNECTION: 0, SHOWN: 1, PREDICTED: 2, SELF: 3, ALIVE: 4, SNAPSHOTS: 5, PREDICTIONS: 6, CORRECTIONS: 7, LOST: 8, LATENCY: 9, UNACKED: 10,
	DATAGRAMS: 11, BYTES: 12, INPUT_TICK: 13,
});

/** The values of STATE[CONNECTION]. */
export const CONNECTION = Object.freeze({ OFFLINE: 0, CONNECTING: 1, LOADING: 2, ENTERING: 3, PLAYING: 4 });

/** Indices in the two parts of OWN. */
export const OWN = Object.freeze({
	X: 0, Y: 1, VEL_X: 2, VEL_Y: 3, ANGLE: 4, DIRECTION: 5, JUMPED: 6, HOOK_STATE: 7, HOOK_X: 8, HOOK_Y: 9, HOOKED_PLAYER: 10, TICK: 11,
	LENGTH: 24,
});

/** Indices in INPUT. */
export const INPUT = Object.freeze({
	DIRECTION: 0, TARGET_X: 1, TARGET_Y: 2, JUMP: 3, FIRE: 4, HOOK: 5, FLAGS: 6, WANTED_WEAPON: 7, NEXT_WEAPON: 8, PREV_WEAPON: 9,
	LENGTH: 16,
});

/** Indices in USED. */
export const USED = Object.freeze({ OUT: 0, MESSAGES: 1, EVENTS: 2, SNAPSHOTS: 3, LENGTH: 8 });
