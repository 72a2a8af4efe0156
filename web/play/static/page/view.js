/**
 * The place of the camera while playing.
 *
 * @module
 */

/** The camera moves with the crosshair beyond this distance, in world units, by this share. */
const DEAD_ZONE = 300, SHARE = 0.6;

/**
 * Places the camera around the own tee, or where the server shows a spectator the match.
 * @param {import('../../viewer/draw/camera.js').Camera} camera
 * @param {import('../../viewer/match/types.js').Moment} m
 * @param {import('../../viewer/match/types.js').Tee | null} own
 * @param {import('../input/input.js').Input} aim
 * @param {import('./settings.js').Settings} settings
 */
export function follow(camera, m, own, aim, settings) {
	if (!own) return;
	const d = Math.hypot(aim.x, aim.y), k = d > DEAD_ZONE && settings.get('dynamicCamera') ? (d - DEAD_ZONE) * SHARE / d : 0;
	camera.x = own.x + aim.x * k;
	camera.y = own.y + aim.y * k;
	own.angle = Math.atan2(aim.y, aim.x);
}
