/**
 * States of tees that 0.7 does not send: those of DDRace and mods, which our recordings contain,
 * and skidding.
 * @module
 */

import { Character, DeCharacter, DeLaser } from '../wire/schema7_gen.js';
import { isValid } from '../wire/objects.js';
import { FREEZE, LASER, TICKS_PER_SECOND } from './types.js';

/** Bits of DeCharacter.Flags. */
const FLAG = { SOLO: 1, ENDLESS_HOOK: 1 << 3, ENDLESS_JUMPS: 1 << 4, LIVE: 1 << 20, PRACTICE: 1 << 22 };
/** The first of the bits of DeCharacter.Flags for the weapons that the tee has, by WEAPON. */
const FIRST_WEAPON = 14, ALL_WEAPONS = 63;
/** The speed from which tees skid, and the acceleration on the ground, in units per tick. */
const SKID_SPEED = 10, GROUND_ACCELERATION = 2;
/** Bits of DeLaser.Entity. */
const ENTITY = { DOOR: 2, DRAGGER: 3, TURRET: 6, LIGHT: 10 };

/**
 * Sets the states that DDRace and mods give to a tee.
 * @param {import('./types.js').Tee} t
 * @param {import('../wire/snapshot.js').Snapshot} s
 * @param {number} tick
 */
export function takeStates(t, s, tick) {
	const i = s.search(DeCharacter.TYPE * 0x10000 + t.id), at = s.offsets[i], ints = s.ints;
	if (i >= s.length || s.keys[i] !== DeCharacter.TYPE * 0x10000 + t.id || !isValid(s, i)) {
		t.freeze = FREEZE.NONE;
		t.solo = t.endlessJumps = t.endlessHook = t.practice = false;
		t.freezeStart = t.freezeEnd = t.jumps = t.airJumps = t.ninjaStart = t.checkpoint = t.weapons = 0;
		return;
	}
	const flags = ints[at + DeCharacter.Flags], end = ints[at + DeCharacter.FreezeEnd];
	t.freeze = end < 0 ? FREEZE.DEEP : end > tick ? FREEZE.TIMED : flags & FLAG.LIVE ? FREEZE.LIVE : FREEZE.NONE;
	t.freezeStart = ints[at + DeCharacter.FreezeStart];
	t.freezeEnd = end;
	t.solo = (flags & FLAG.SOLO) !== 0;
	t.endlessJumps = (flags & FLAG.ENDLESS_JUMPS) !== 0;
	t.endlessHook = (flags & FLAG.ENDLESS_HOOK) !== 0;
	t.practice = (flags & FLAG.PRACTICE) !== 0;
	t.weapons = flags >> FIRST_WEAPON & ALL_WEAPONS;
	t.jumps = ints[at + DeCharacter.Jumps];
	t.airJumps = ints[at + DeCharacter.AirJumps];
	t.ninjaStart = ints[at + DeCharacter.NinjaStart];
	t.checkpoint = ints[at + DeCharacter.TeleCheckpoint];
	t.weapon = ints[at + DeCharacter.Weapon];
}

/**
 * Returns the kind of the laser with an id.
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

/** The result of skidding. */
const skid = { way: 0, speed: 0 };

/**
 * For a fast character that runs against its motion, returns the distance since its tick and the
 * current speed, in units and units per tick. Such a tee skids if it is on the ground, which is
 * assumed here. Otherwise returns null.
 * @param {Int32Array} ints
 * @param {number} at
 * @param {number} tick
 */
export function skidding(ints, at, tick) {
	const direction = ints[at + Character.Direction], from = ints[at + Character.Tick];
	const n = from > 0 && from < tick ? Math.min(tick - from, TICKS_PER_SECOND) : 0;
	const vx = ints[at + Character.VelX] / 256 + direction * GROUND_ACCELERATION * n;
	skid.speed = Math.hypot(vx, ints[at + Character.VelY] / 256);
	if (direction * vx >= 0 || skid.speed <= SKID_SPEED) return null;
	skid.way = n * vx - direction * GROUND_ACCELERATION * n * (n - 1) / 2;
	return skid;
}
