// Artificial moments with everything that can be drawn.
import { EFFECT, EMOTE, HOOK, WEAPON } from '/viewer/match/types.js';

export const list = (items) => ({ items, length: items.length });
const BODIES = ['standard', 'kitty', 'bear', 'fox', 'dog', 'mouse', 'spiky', 'koala'];

export function player(id, extra = {}) {
	const hue = (id * 47) & 255;
	return {
		id, active: true, local: false, name: `tee ${id}`, clan: '', country: -1, team: 0, score: id, latency: 20, ready: false, dead: false, admin: false, bot: false,
		chatting: false, watching: false, raceStartTick: 0, raceTeam: 0,
		skin: {
			parts: [BODIES[id % BODIES.length], id % 3 ? ['stripes', 'bear', 'duodonny'][id % 3] : '', id % 5 === 4 ? 'hair' : '', 'standard', 'standard', 'standard'],
			useCustomColors: [true, true, true, true, true, false],
			colors: [(hue << 16) | (200 << 8) | 120, ((0x80 << 24) | (hue << 16) | (255 << 8) | 200) >>> 0, (hue << 16) | 0x4020, (hue << 16) | (180 << 8) | 160, (((hue + 20) & 255) << 16) | (160 << 8) | 60, 0],
		}, ...extra,
	};
}

export function tee(id, x, y, extra = {}) {
	return {
		id, x, y, vx: 0, vy: 0, nextX: x, nextY: y, nextVX: 0, nextVY: 0, angle: 0, direction: 0, airJumped: false, hookState: HOOK.IDLE, hookX: x, hookY: y, hookedPlayer: -1,
		weapon: WEAPON.GUN, attackTick: 0, emote: EMOTE.NORMAL, emoticon: -1, emoticonTick: 0, freeze: 0, freezeStart: 0, freezeEnd: 0, solo: false, jumps: 0, airJumps: 0,
		endlessJumps: false, endlessHook: false, practice: false, weapons: 0, ninjaStart: 0, checkpoint: 0, health: -1, armor: -1, ammo: -1, ...extra,
	};
}

export function moment(tick, extra = {}) {
	const players = [];
	for (let i = 0; i < 64; i++) players.push(player(i));
	return {
		tick, prevTick: tick, nextTick: tick + 2, ready: true, tees: list([]), projectiles: list([]), lasers: list([]), pickups: list([]), flags: list([]), effects: list([]),
		players, game: { flags: 0, state: 0, startTick: 0, stateEndTick: 0, scoreLimit: 20, timeLimit: 0, matchNum: 0, matchCurrent: 0, scoreRed: 0, scoreBlue: 0, bestTime: -1 },
		tuning: {
			hookLength: 380, gunCurvature: 1.25, gunSpeed: 2200, gunLifetime: 2, shotgunCurvature: 1.25, shotgunSpeed: 2750, shotgunLifetime: 0.2,
			grenadeCurvature: 7, grenadeSpeed: 1000, grenadeLifetime: 2, laserReach: 800, laserBounceDelay: 150,
		},
		view: { spectating: false, mode: 0, id: -1, x: 0, y: 0 }, chat: list([]), kills: list([]), broadcast: { text: '', tick: 0 },
		vote: { active: false, description: '', reason: '', caller: -1, endTick: 0, yes: 0, no: 0, total: 0 }, ...extra,
	};
}

/** Everything at once, around a place with ground. */
export function show(x, y, tick = 1000) {
	const tees = [];
	for (let w = 0; w < 6; w++) tees.push(tee(w, x - 300 + w * 110, y, { weapon: w, angle: w % 2 ? -0.4 : Math.PI + 0.3, emote: w, attackTick: w === 1 || w === 5 ? tick - 1 : w === 0 ? tick - 5 : 0 }));
	tees.push(tee(6, x - 230, y - 130, { nextY: y - 200, hookState: HOOK.GRABBED, hookX: x - 120, hookY: y - 260, weapon: 2, angle: -0.8, airJumped: true }));
	tees.push(tee(7, x + 60, y - 150, { vx: 9, nextVX: 9, direction: 1, weapon: 3, angle: 0.5, emoticon: 2, emoticonTick: tick - 30 }));
	tees.push(tee(8, x + 190, y - 150, { weapon: 4, angle: 2.6, freeze: 1, freezeStart: tick - 50, freezeEnd: tick + 100, emoticon: 10, emoticonTick: tick - 30 }));
	const pickups = [0, 1, 2, 3, 4, 5, 6, 7].map((type) => ({ key: type, x: x - 420 + type * 120, y: y + 110, type }));
	const projectiles = [
		{ key: 1, x: x + 330, y: y - 90, vx: 40, vy: -3, weapon: WEAPON.GUN, startTick: tick - 8 },
		{ key: 2, x: x + 330, y: y - 60, vx: 40, vy: 3, weapon: WEAPON.SHOTGUN, startTick: tick - 8 },
		{ key: 3, x: x + 330, y: y - 150, vx: 16, vy: 4, weapon: WEAPON.GRENADE, startTick: tick - 25 },
	];
	const lasers = [{ key: 1, fromX: x - 100, fromY: y - 220, x: x + 200, y: y - 300, startTick: tick, kind: 0 }];
	const flags = [{ team: 0, x: x + 380, y: y + 16, carrier: -1, atStand: true, dropTick: 0 }, { team: 1, x: x + 450, y: y + 16, carrier: -1, atStand: true, dropTick: 0 }];
	const effects = [
		[EFFECT.EXPLOSION, -420, -180, 6], [EFFECT.SPAWN, -520, -40, 8], [EFFECT.DEATH, -330, -260, 10], [EFFECT.HAMMER_HIT, -520, -250, 4], [EFFECT.DAMAGE, -85, -20, 15], [EFFECT.AIR_JUMP, -230, -130, 8],
	].map(([kind, dx, dy, age], i) => ({ key: i, kind, tick: tick - age, x: x + dx, y: y + dy, id: 3, angle: 0, amount: 5, sound: 0, seed: i * 7919 + 1 }));
	return moment(tick, { tees: list(tees), pickups: list(pickups), projectiles: list(projectiles), lasers: list(lasers), flags: list(flags), effects: list(effects) });
}
