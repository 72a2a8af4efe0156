/**
 * What DDRace and mods have and 0.7 does not know, as our recordings tell it.
 * @module
 */

import { DeCharacter, DeLaser } from '../wire/schema7_gen.js';
import { isValid } from '../wire/objects.js';
import { FREEZE, LASER } from './types.js';

/** Of DeCharacter.Flags. */
const FLAG = { SOLO: 1, ENDLESS_JUMPS: 1 << 4, LIVE: 1 << 20 };
/** Of DeLaser.Entity. */
const ENTITY = { DOOR: 2, DRAGGER: 3, TURRET: 6, LIGHT: 10 };

/**
 * Takes the states that DDRace and mods give to a tee.
 * @param {import('./types.js').Tee} t
 * @param {import('../wire/snapshot.js').Snapshot} s
 * @param {number} tick
 */
export function takeStates(t, s, tick) {
	const i = s.search(DeCharacter.TYPE * 0x10000 + t.id), at = s.offsets[i], ints = s.ints;
	if (i >= s.length || s.keys[i] !== DeCharacter.TYPE * 0x10000 + t.id || !isValid(s, i)) {
		t.freeze = FREEZE.NONE;
		t.solo = t.endlessJumps = false;
		t.freezeStart = t.freezeEnd = t.jumps = t.airJumps = t.ninjaStart = t.checkpoint = 0;
		return;
	}
	const flags = ints[at + DeCharacter.Flags], end = ints[at + DeCharacter.FreezeEnd];
	t.freeze = end < 0 ? FREEZE.DEEP : end > tick ? FREEZE.TIMED : flags & FLAG.LIVE ? FREEZE.LIVE : FREEZE.NONE;
	t.freezeStart = ints[at + DeCharacter.FreezeStart];
	t.freezeEnd = end;
	t.solo = (flags & FLAG.SOLO) !== 0;
	t.endlessJumps = (flags & FLAG.ENDLESS_JUMPS) !== 0;
	t.jumps = ints[at + DeCharacter.Jumps];
	t.airJumps = ints[at + DeCharacter.AirJumps];
	t.ninjaStart = ints[at + DeCharacter.NinjaStart];
	t.checkpoint = ints[at + DeCharacter.TeleCheckpoint];
	t.weapon = ints[at + DeCharacter.Weapon];
}

/**
 * Returns what the laser with an id is.
 * @param {import('../wire/snapshot.js').Snapshot} s
 * @param {number} id
 */
export function laserKind(s, id) {
	const at = s.find(DeLaser.TYPE, id);
	if (at < 0) return LASER.RIFLE;
	const entity = s.ints[at + DeLaser.Entity];
	if (s.ints[at + DeLaser.Kind] === 1) return LASER.SHOTGUN;
	if (entity === ENTITY.DOOR) return LASER.DOOR;
	if (entity >= ENTITY.DRAGGER && entity < ENTITY.TURRET) return LASER.DRAGGER;
	return entity === ENTITY.LIGHT ? LASER.FREEZE : LASER.MAP;
}
