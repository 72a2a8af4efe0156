/**
 * Computes a Moment from the two snapshots around it, as the original client does.
 * @module
 */

import {
	Character, DeClientInfo, DeGameInfo, DeTeam, DeTuneParams, EventCommon, EventDamage, EventDeath, EventExplosion, EventHammerHit, EventSoundWorld, EventSpawn,
	Flag, GameData, GameDataFlag, GameDataRace, GameDataTeam, Laser, Pickup, PlayerInfo, PlayerInfoRace, Projectile, SpectatorInfo,
} from '../wire/schema7_gen.js';
import { isValid } from '../wire/objects.js';
import { unpackText } from '../wire/unpacker.js';
import { laserKind, skidding, takeStates } from './states.js';
import { clean } from './text.js';
import { EFFECT, FREEZE, LASER, SPEC, STATE, TEAM, TICKS_PER_SECOND, WEAPON } from './types.js';

export const MAX_PLAYERS = 64;

/** The gap between two snapshots, in ticks, beyond which nothing is interpolated. */
const MAX_GAP = 25;

/**
 * A snapshot, and the effects that start at it.
 * @typedef {object} Frame
 * @property {number} tick
 * @property {import('../wire/snapshot.js').Snapshot} snapshot
 * @property {import('./types.js').Effect[]} effects
 */

/**
 * Makes a Frame from a snapshot.
 * @param {number} tick
 * @param {number} before tick of the snapshot before it, at which the client starts its effects
 * @param {import('../wire/snapshot.js').Snapshot} s
 * @returns {Frame}
 */
export function newFrame(tick, before, s) {
	/** @type {import('./types.js').Effect[]} */
	const effects = [];
	const add = (/** @type {number} */ kind, /** @type {number} */ at, /** @type {number} */ id) => {
		const key = tick * 1024 + effects.length;
		const e = { key, kind, tick: before, x: s.ints[at], y: s.ints[at + 1], id, angle: 0, amount: 0, sound: -1, seed: Math.imul(key ^ key >>> 15, 0x2c1b3c6d) >>> 0 };
		effects.push(e);
		return e;
	};
	for (let i = s.search(Character.TYPE << 16); i < s.length; i++) {
		const type = s.keys[i] >>> 16, at = s.offsets[i], id = s.keys[i] & 0xffff;
		if (type === Character.TYPE ? id >= MAX_PLAYERS : type < EventExplosion.TYPE) continue;
		if (type > EventDamage.TYPE) break;
		if (!isValid(s, i)) continue;
		switch (type) {
			case Character.TYPE: {
				const events = s.ints[at + Character.TriggeredEvents];
				for (let bit = 0; bit < CORE_EVENTS.length; bit++) {
					if (events >> bit & 1) add(CORE_EVENTS[bit], at + Character.X, id);
				}
				const skid = skidding(s.ints, at, tick);
				if (skid) {
					const e = add(EFFECT.SKID, at + Character.X, id);
					e.x += skid.way;
					e.angle = s.ints[at + Character.Direction];
					e.amount = skid.speed;
				}
				break;
			}
			case EventExplosion.TYPE: add(EFFECT.EXPLOSION, at, -1); break;
			case EventSpawn.TYPE: add(EFFECT.SPAWN, at, -1); break;
			case EventHammerHit.TYPE: add(EFFECT.HAMMER_HIT, at, -1); break;
			case EventDeath.TYPE: add(EFFECT.DEATH, at, s.ints[at + EventDeath.ClientID]); break;
			case EventSoundWorld.TYPE: add(EFFECT.SOUND, at, -1).sound = s.ints[at + EventSoundWorld.Sound]; break;
			case EventDamage.TYPE: {
				const e = add(EFFECT.DAMAGE, at, s.ints[at + EventDamage.ClientID]);
				e.angle = s.ints[at + EventDamage.Angle] / 256;
				e.amount = s.ints[at + EventDamage.Health] + s.ints[at + EventDamage.Armor];
			}
		}
	}
	return { tick, snapshot: s, effects };
}

/** The effects of Character.TriggeredEvents, by bit. */
const CORE_EVENTS = [EFFECT.JUMP, EFFECT.AIR_JUMP, EFFECT.HOOK_ATTACH_PLAYER, EFFECT.HOOK_ATTACH_GROUND, EFFECT.HOOK_HIT_NOHOOK];

/**
 * @template T
 * @returns {import('./types.js').List<T>}
 */
function newList() {
	return { items: [], length: 0 };
}

/**
 * Copies n integers.
 * @param {Int32Array} from
 * @param {number} at
 * @param {Int32Array} to
 * @param {number} toAt
 * @param {number} n
 */
function copy(from, at, to, toAt, n) {
	for (let i = 0; i < n; i++) to[toAt + i] = from[at + i];
}

/**
 * @param {import('./types.js').Player} p
 * @param {Int32Array} ints
 * @param {number} at
 */
function takePlayerInfo(p, ints, at) {
	const flags = ints[at + PlayerInfo.PlayerFlags];
	p.admin = (flags & 1) !== 0;
	p.chatting = (flags & 2) !== 0;
	p.ready = (flags & 8) !== 0;
	p.dead = (flags & 16) !== 0;
	p.watching = (flags & 32) !== 0;
	p.bot = (flags & 64) !== 0;
	p.score = ints[at + PlayerInfo.Score];
	p.latency = ints[at + PlayerInfo.Latency];
}

/**
 * Returns the next object of a list, and creates it with make if necessary.
 * @template T
 * @param {import('./types.js').List<T>} list
 * @param {() => T} make
 */
function append(list, make) {
	if (list.length === list.items.length) list.items.push(make());
	return list.items[list.length++];
}

/** A tee that stands. @returns {import('./types.js').Tee} */
export const newTee = () => ({
	id: 0, x: 0, y: 0, vx: 0, vy: 0, nextX: 0, nextY: 0, nextVX: 0, angle: 0, direction: 0, airJumped: false, hookState: 0, hookX: 0, hookY: 0, hookedPlayer: -1,
	weapon: 0, attackTick: 0, emote: 0, emoticon: -1, emoticonTick: 0, freeze: FREEZE.NONE, freezeStart: 0, freezeEnd: 0, solo: false, practice: false,
	jumps: 0, airJumps: 0, endlessJumps: false, endlessHook: false, ninjaStart: 0, checkpoint: 0, weapons: 0, health: -1, armor: -1, ammo: -1,
});
const newProjectile = () => ({ key: 0, x: 0, y: 0, vx: 0, vy: 0, weapon: 0, startTick: 0 });
const newLaser = () => ({ key: 0, fromX: 0, fromY: 0, x: 0, y: 0, startTick: 0, kind: LASER.RIFLE });
const newPickup = () => ({ key: 0, x: 0, y: 0, type: 0 });
const newFlag = () => ({ team: 0, x: 0, y: 0, carrier: -1, atStand: false, dropTick: 0 });

const NO_SKIN = Object.freeze({ parts: ['standard', '', '', 'standard', 'standard', 'standard'], useCustomColors: Array(6).fill(false), colors: Array(6).fill(0) });

/** @param {number} id @returns {import('./types.js').Player} */
function newPlayer(id) {
	return {
		id, active: false, local: false, name: '', clan: '', country: -1, team: TEAM.SPECTATORS, score: 0, latency: 0,
		ready: false, dead: false, admin: false, bot: false, chatting: false, watching: false, raceStartTick: 0, raceTeam: 0, skin: NO_SKIN,
	};
}

/** The names of Tuning, by index of the parameter. */
const TUNING = new Map([
	[8, 'hookLength'], [16, 'gunCurvature'], [17, 'gunSpeed'], [18, 'gunLifetime'], [19, 'shotgunCurvature'], [20, 'shotgunSpeed'], [22, 'shotgunLifetime'],
	[23, 'grenadeCurvature'], [24, 'grenadeSpeed'], [25, 'grenadeLifetime'], [26, 'laserReach'], [27, 'laserBounceDelay'],
]);

const newTuning = () => ({
	hookLength: 380, gunCurvature: 1.25, gunSpeed: 2200, gunLifetime: 2, shotgunCurvature: 1.25, shotgunSpeed: 2750, shotgunLifetime: 0.2,
	grenadeCurvature: 7, grenadeSpeed: 1000, grenadeLifetime: 2, laserReach: 800, laserBounceDelay: 150,
});
const DEFAULT_TUNING = Object.freeze(newTuning());

/** @returns {import('./types.js').Moment} */
export function newMoment() {
	return {
		tick: 0, prevTick: 0, nextTick: 0, ready: false,
		tees: newList(), projectiles: newList(), lasers: newList(), pickups: newList(), flags: newList(), effects: newList(),
		players: Array.from({ length: MAX_PLAYERS }, (_, id) => newPlayer(id)),
		game: { flags: 0, state: 0, startTick: 0, stateEndTick: 0, scoreLimit: 0, timeLimit: 0, matchNum: 0, matchCurrent: 0, scoreRed: 0, scoreBlue: 0, bestTime: -1 },
		tuning: newTuning(),
		view: { spectating: false, mode: SPEC.FREE, id: -1, x: 0, y: 0 },
		chat: newList(), kills: newList(), broadcast: { text: '', tick: 0 },
		vote: { active: false, description: '', reason: '', caller: -1, endTick: 0, yes: 0, no: 0, total: 0 },
	};
}

/**
 * Fills a Moment from snapshots. Values that change only with the snapshots are computed once for
 * each pair.
 */
export class MomentFiller {
	constructor() {
		this.moment = newMoment();
		/** @type {Frame | null} */
		this.prev = null;
		/** @type {Frame | null} */
		this.next = null;
		// The characters, one for each tee, and the other moving objects of the two snapshots.
		this.prevChars = new Int32Array(MAX_PLAYERS * Character.SIZE);
		this.nextChars = new Int32Array(MAX_PLAYERS * Character.SIZE);
		this.projectiles = new Int32Array(1024 * Projectile.SIZE);
		this.projectileIDs = new Uint16Array(1024);
		/** The number of projectiles, including those that are fired before next. */
		this.shots = 0;
		this.pickups = new Int32Array(1024 * 4);
		this.flags = new Int32Array(16 * 4);
		/** The tee of each player; -1 for none. */
		this.teeOf = new Int8Array(MAX_PLAYERS);
		/** The integers of each client's DeClientInfo from which its Player was made. */
		this.infos = new Int32Array(MAX_PLAYERS * DeClientInfo.SIZE);
		/**
		 * Moves characters that are of an earlier tick, once the map is loaded.
		 * @type {import('./evolve.js').Evolver | null}
		 */
		this.evolver = null;
	}

	/** Drops the snapshots, so that everything is computed again. */
	reset() {
		this.prev = this.next = null;
	}

	/**
	 * Fills the moment at a tick between two snapshots, which may be the same.
	 * @param {Frame} prev
	 * @param {Frame} next
	 * @param {number} tick
	 */
	fill(prev, next, tick) {
		const m = this.moment;
		const gap = next.tick - prev.tick;
		if (gap > MAX_GAP) next = prev;
		m.tick = tick;
		if (this.prev !== prev || this.next !== next) {
			this.prev = prev;
			this.next = next;
			m.prevTick = prev.tick;
			m.nextTick = next.tick;
			this.#take(prev, next);
		}
		this.#interpolate(gap > 0 && next !== prev ? Math.min(1, Math.max(0, (tick - prev.tick) / gap)) : 0);
		m.ready = true;
		return m;
	}

	/**
	 * Sets the values that do not change between two snapshots.
	 * @param {Frame} prev
	 * @param {Frame} next
	 */
	#take(prev, next) {
		const m = this.moment, a = prev.snapshot, s = next.snapshot, ints = s.ints;
		this.shots = m.tees.length = m.lasers.length = m.pickups.length = m.flags.length = 0;
		m.view.spectating = false;
		m.view.mode = SPEC.FREE;
		m.view.id = -1;
		const g = m.game;
		g.scoreRed = g.scoreBlue = 0;
		g.bestTime = -1;
		let flagsAt = -1, local = -1, tuned = false;
		this.teeOf.fill(-1);
		for (const p of m.players) {
			p.active = p.local = false;
			p.raceStartTick = p.raceTeam = 0;
		}
		for (let i = 0; i < s.length; i++) {
			const type = s.keys[i] >>> 16, id = s.keys[i] & 0xffff, at = s.offsets[i];
			if (type >= EventCommon.TYPE && type <= EventDamage.TYPE || !isValid(s, i)) continue;
			switch (type) {
				case Projectile.TYPE: {
					this.projectileIDs[this.shots] = id;
					copy(ints, at, this.projectiles, this.shots++ * Projectile.SIZE, Projectile.SIZE);
					break;
				}
				case Laser.TYPE: {
					const l = append(m.lasers, newLaser);
					l.x = ints[at + Laser.X];
					l.y = ints[at + Laser.Y];
					l.fromX = ints[at + Laser.FromX];
					l.fromY = ints[at + Laser.FromY];
					l.startTick = ints[at + Laser.StartTick];
					l.key = l.startTick * 0x10000 + id;
					l.kind = laserKind(s, id);
					break;
				}
				case Pickup.TYPE: {
					const before = a.find(type, id);
					if (before < 0) break;
					const p = append(m.pickups, newPickup), k = (m.pickups.length - 1) * 4;
					p.key = id;
					p.type = ints[at + Pickup.Type];
					copy(a.ints, before, this.pickups, k, 2);
					copy(ints, at, this.pickups, k + 2, 2);
					break;
				}
				case Flag.TYPE: {
					const before = a.find(type, id);
					if (before < 0 || m.flags.length === 16) break;
					const f = append(m.flags, newFlag), k = (m.flags.length - 1) * 4;
					f.team = ints[at + Flag.Team];
					copy(a.ints, before, this.flags, k, 2);
					copy(ints, at, this.flags, k + 2, 2);
					break;
				}
				case GameData.TYPE:
					g.startTick = ints[at + GameData.StartTick];
					g.state = ints[at + GameData.StateFlags];
					g.stateEndTick = ints[at + GameData.StateEndTick];
					break;
				case GameDataTeam.TYPE:
					g.scoreRed = ints[at + GameDataTeam.ScoreRed];
					g.scoreBlue = ints[at + GameDataTeam.ScoreBlue];
					break;
				case GameDataFlag.TYPE: flagsAt = at; break;
				case GameDataRace.TYPE: g.bestTime = ints[at + GameDataRace.BestTime]; break;
				case Character.TYPE: this.#takeCharacter(prev, next, id, at); break;
				case PlayerInfo.TYPE: if (id < MAX_PLAYERS) takePlayerInfo(m.players[id], ints, at); break;
				case PlayerInfoRace.TYPE: if (id < MAX_PLAYERS) m.players[id].raceStartTick = ints[at]; break;
				case DeTeam.TYPE: if (id < MAX_PLAYERS) m.players[id].raceTeam = ints[at + DeTeam.Team]; break;
				case SpectatorInfo.TYPE:
					m.view.spectating = true;
					m.view.mode = ints[at + SpectatorInfo.Mode];
					m.view.id = ints[at + SpectatorInfo.SpectatorID];
					m.view.x = ints[at + SpectatorInfo.X];
					m.view.y = ints[at + SpectatorInfo.Y];
					break;
				case DeClientInfo.TYPE:
					if (id >= MAX_PLAYERS) break;
					this.#takeClientInfo(m.players[id], ints, at);
					if (m.players[id].local) local = id;
					break;
				case DeGameInfo.TYPE:
					g.flags = ints[at + DeGameInfo.GameFlags];
					g.scoreLimit = ints[at + DeGameInfo.ScoreLimit];
					g.timeLimit = ints[at + DeGameInfo.TimeLimit];
					g.matchNum = ints[at + DeGameInfo.MatchNum];
					g.matchCurrent = ints[at + DeGameInfo.MatchCurrent];
					break;
				case DeTuneParams.TYPE:
					tuned = true;
					// @ts-ignore: the names are those of Tuning
					for (const [k, name] of TUNING) m.tuning[name] = ints[at + k] / 100;
			}
		}
		if (!tuned) Object.assign(m.tuning, DEFAULT_TUNING);
		if (local >= 0 && !m.view.spectating && m.players[local].team !== TEAM.SPECTATORS) {
			m.view.mode = SPEC.PLAYER;
			m.view.id = local;
		}
		this.#takeFlags(a, s, flagsAt);
	}

	/**
	 * @param {Frame} prev
	 * @param {Frame} next
	 * @param {number} id
	 * @param {number} at
	 */
	#takeCharacter(prev, next, id, at) {
		const before = prev.snapshot.find(Character.TYPE, id), m = this.moment;
		if (before < 0 || id >= MAX_PLAYERS) return; // shown only if it is in both
		const n = m.tees.length, k = n * Character.SIZE;
		copy(prev.snapshot.ints, before, this.prevChars, k, Character.SIZE);
		copy(next.snapshot.ints, at, this.nextChars, k, Character.SIZE);
		this.evolver?.evolve(id, this.prevChars, k, prev.tick);
		this.evolver?.evolve(id, this.nextChars, k, next.tick);
		const p = this.prevChars, c = this.nextChars;
		// The angles are on both sides of the wrap-around.
		const half = Math.PI * 128;
		if (p[k + Character.Angle] < -half && c[k + Character.Angle] > half) p[k + Character.Angle] += 4 * half;
		else if (p[k + Character.Angle] > half && c[k + Character.Angle] < -half) c[k + Character.Angle] += 4 * half;
		const t = append(m.tees, newTee);
		t.id = id;
		t.nextX = c[k + Character.X];
		t.nextY = c[k + Character.Y];
		t.nextVX = c[k + Character.VelX] / 256;
		t.direction = c[k + Character.Direction];
		t.airJumped = (c[k + Character.Jumped] & 2) !== 0;
		t.hookState = p[k + Character.HookState] > 0 ? c[k + Character.HookState] : 0;
		t.hookedPlayer = c[k + Character.HookedPlayer];
		t.weapon = c[k + Character.Weapon];
		t.attackTick = c[k + Character.AttackTick];
		t.emote = c[k + Character.Emote];
		t.emoticon = -1;
		takeStates(t, next.snapshot, next.tick);
		this.teeOf[id] = n;
	}

	/**
	 * @param {import('./types.js').Player} p
	 * @param {Int32Array} ints
	 * @param {number} at
	 */
	#takeClientInfo(p, ints, at) {
		p.active = true;
		p.team = ints[at + DeClientInfo.Team];
		p.local = ints[at + DeClientInfo.Local] !== 0;
		const known = this.infos, k = p.id * DeClientInfo.SIZE;
		let same = p.skin !== NO_SKIN;
		for (let i = 0; same && i < DeClientInfo.SIZE; i++) same = known[k + i] === ints[at + i];
		if (same) return;
		copy(ints, at, known, k, DeClientInfo.SIZE);
		p.name = clean(unpackText(ints, at + DeClientInfo.Name, 4));
		p.clan = clean(unpackText(ints, at + DeClientInfo.Clan, 3));
		p.country = ints[at + DeClientInfo.Country];
		const part = (/** @type {number} */ i) => clean(unpackText(ints, at + DeClientInfo.SkinParts + 6 * i, 6));
		const six = [0, 1, 2, 3, 4, 5];
		p.skin = {
			parts: six.map(part),
			useCustomColors: six.map((i) => ints[at + DeClientInfo.UseCustomColors + i] !== 0),
			colors: six.map((i) => ints[at + DeClientInfo.SkinColors + i]),
		};
	}

	/**
	 * Sets the carriers of the flags.
	 * @param {import('../wire/snapshot.js').Snapshot} a
	 * @param {import('../wire/snapshot.js').Snapshot} s
	 * @param {number} at of GameDataFlag in s; -1 for none
	 */
	#takeFlags(a, s, at) {
		const flags = this.moment.flags, before = a.find(GameDataFlag.TYPE, 0);
		for (let i = 0; i < flags.length; i++) {
			const f = flags.items[i];
			const carrier = at < 0 ? -1 : s.ints[at + (f.team === TEAM.RED ? GameDataFlag.CarrierRed : GameDataFlag.CarrierBlue)];
			f.carrier = Math.max(-1, carrier);
			f.atStand = carrier === -2;
			f.dropTick = at < 0 ? 0 : s.ints[at + (f.team === TEAM.RED ? GameDataFlag.DropTickRed : GameDataFlag.DropTickBlue)];
			if (at >= 0 && before >= 0 && carrier !== a.ints[before + (f.team === TEAM.RED ? GameDataFlag.CarrierRed : GameDataFlag.CarrierBlue)]) {
				copy(this.flags, i * 4 + 2, this.flags, i * 4, 2); // it jumps to its stand
			}
		}
	}

	/**
	 * Sets the positions of moving things.
	 * @param {number} f 0 at prev, 1 at next
	 */
	#interpolate(f) {
		const m = this.moment, p = this.prevChars, c = this.nextChars;
		const mix = (/** @type {Int32Array} */ from, /** @type {Int32Array} */ to, /** @type {number} */ i) => from[i] + (to[i] - from[i]) * f;
		for (let n = 0; n < m.tees.length; n++) {
			const t = m.tees.items[n], k = n * Character.SIZE;
			t.x = mix(p, c, k + Character.X);
			t.y = mix(p, c, k + Character.Y);
			t.vx = mix(p, c, k + Character.VelX) / 256;
			t.vy = mix(p, c, k + Character.VelY) / 256;
			t.angle = mix(p, c, k + Character.Angle) / 256;
			const known = t.id === m.view.id;
			t.health = known ? c[k + Character.Health] : -1;
			t.armor = known ? c[k + Character.Armor] : -1;
			t.ammo = known ? c[k + Character.Ammo] : -1;
		}
		for (let n = 0; n < m.tees.length; n++) {
			const t = m.tees.items[n], k = n * Character.SIZE;
			const other = t.hookedPlayer >= 0 ? this.teeOf[t.hookedPlayer] : -1;
			t.hookX = other >= 0 ? m.tees.items[other].x : mix(p, c, k + Character.HookX);
			t.hookY = other >= 0 ? m.tees.items[other].y : mix(p, c, k + Character.HookY);
		}
		const now = (m.game.state & STATE.PAUSED) !== 0 ? m.prevTick : m.tick;
		m.projectiles.length = 0;
		for (let n = 0; n < this.shots; n++) this.#placeProjectile(n, now);
		for (let n = 0; n < m.pickups.length; n++) {
			m.pickups.items[n].x = this.pickups[4 * n] + (this.pickups[4 * n + 2] - this.pickups[4 * n]) * f;
			m.pickups.items[n].y = this.pickups[4 * n + 1] + (this.pickups[4 * n + 3] - this.pickups[4 * n + 1]) * f;
		}
		for (let n = 0; n < m.flags.length; n++) {
			m.flags.items[n].x = this.flags[4 * n] + (this.flags[4 * n + 2] - this.flags[4 * n]) * f;
			m.flags.items[n].y = this.flags[4 * n + 1] + (this.flags[4 * n + 3] - this.flags[4 * n + 1]) * f;
		}
	}
	/**
	 * Sets the position of a projectile at a tick, if it has been fired.
	 * @param {number} n
	 * @param {number} now
	 */
	#placeProjectile(n, now) {
		const c = this.projectiles, k = n * Projectile.SIZE, start = c[k + Projectile.StartTick], t = this.moment.tuning;
		if (now < start) return;
		const p = append(this.moment.projectiles, newProjectile);
		p.weapon = c[k + Projectile.Type];
		p.startTick = start;
		p.key = start * 0x10000 + this.projectileIDs[n];
		let speed = 0, curvature = 0;
		switch (p.weapon) {
			case WEAPON.GUN: speed = t.gunSpeed; curvature = t.gunCurvature; break;
			case WEAPON.SHOTGUN: speed = t.shotgunSpeed; curvature = t.shotgunCurvature; break;
			case WEAPON.GRENADE: speed = t.grenadeSpeed; curvature = t.grenadeCurvature;
		}
		const way = (now - start) / TICKS_PER_SECOND * speed, dx = c[k + Projectile.VelX] / 100, dy = c[k + Projectile.VelY] / 100;
		p.x = c[k + Projectile.X] + dx * way;
		p.y = c[k + Projectile.Y] + dy * way + curvature / 10000 * way * way;
		p.vx = dx * speed / TICKS_PER_SECOND;
		p.vy = (dy + 2 * curvature / 10000 * way) * speed / TICKS_PER_SECOND;
	}
}
