// The functions of the parts that show the match, with small moments.
import { newMoment } from '/viewer/match/moment.js';
import { GAME, SPEC, STATE, WEAPON } from '/viewer/match/types.js';
import { statesOf } from '/viewer/page/teestate.js';
import { Tally, showsItself } from '/play/page/board.js';
import { Comeback } from '/play/page/comeback.js';
import { Deaths, deathTexts } from '/play/page/death.js';
import { lossOf } from '/play/page/net.js';
import { formatDiff } from '/play/page/race.js';
import { nextTarget, targets, watched } from '/play/page/spectate.js';
import { Carried, ninjaLeft } from '/play/page/state.js';
import { alive, finishLine, phase } from '/play/page/texts.js';
import { mayZoom, placeOf } from '/play/page/view.js';

const list = (items) => ({ items, length: items.length });

/** A moment with players in these teams, of which the one with id 0 is the own one. */
function moment(teams, extra = {}) {
	const m = newMoment();
	teams.forEach((team, id) => Object.assign(m.players[id], { active: true, team, name: `p${id}`, ready: true }));
	Object.assign(m.game, extra.game);
	Object.assign(m.view, { id: 0, mode: SPEC.PLAYER }, extra.view);
	if (extra.tees) m.tees = list(extra.tees);
	if (extra.flags) m.flags = list(extra.flags);
	for (const [id, change] of Object.entries(extra.players ?? {})) Object.assign(m.players[id], change);
	return m;
}

export const weapons = () => {
	const c = new Carried(), tee = (weapon, known = 0) => ({ id: 3, weapon, weapons: known });
	const all = [c.of(tee(WEAPON.GUN)), c.of(tee(WEAPON.HAMMER))];
	c.read([{ key: 1, victim: 4 }]);
	c.add(WEAPON.LASER);
	all.push(c.of(tee(WEAPON.HAMMER)), c.of(tee(WEAPON.NINJA)), c.of(tee(WEAPON.HAMMER)), c.of(null), c.of(tee(WEAPON.GUN)), (c.read([{ key: 1, victim: 3 }, { key: 2, victim: 3 }]), c.of(tee(WEAPON.HAMMER))), c.of(tee(WEAPON.GUN, 0b1011)), c.of({ id: 4, weapon: -1, weapons: 0 }));
	return all;
};

export const ninja = () => [
	ninjaLeft({ tick: 1000 }, { ninjaStart: 0, ammo: 1375 }), ninjaLeft({ tick: 1000 }, { ninjaStart: 1000, ammo: 0 }), ninjaLeft({ tick: 1000 }, { ninjaStart: 1, ammo: 0 }),
];

export const spectating = () => {
	const free = { spectating: true, mode: SPEC.FREE, id: -1 };
	const name = (t) => (t ? `${t.mode} ${t.id}` : 'none');
	const flags = [{ team: 1, x: 9, y: 9 }, { team: 0, x: 5, y: 5 }], tees = [{ id: 1, x: 500, y: 0 }, { id: 2, x: 90, y: 0 }];
	const watching = moment([-1, 0, 1, -1], { game: { flags: GAME.TEAMS | GAME.FLAGS }, view: free, flags, tees });
	const following = (view) => moment([-1, 0, 1, -1], { game: { flags: GAME.TEAMS }, view: { spectating: true, ...view }, flags, tees });
	const out = moment([0, 0, 1, 0, 0], { game: { flags: GAME.TEAMS | GAME.SURVIVAL }, view: { spectating: true, mode: SPEC.PLAYER, id: 1 }, players: { 0: { dead: true }, 3: { dead: true } }, flags });
	const nobody = moment([-1], { view: free }), gone = following({ mode: SPEC.PLAYER, id: 7 });
	return {
		all: targets(watching, 0).map(name), out: targets(out, 0).map(name),
		closest: name(nextTarget(watching, 0, 1, { x: 100, y: 0 })), nobody: name(nextTarget(nobody, 0, 1, { x: 0, y: 0 })),
		after: name(nextTarget(following({ mode: SPEC.PLAYER, id: 2 }), 0, 1, { x: 0, y: 0 })), before: name(nextTarget(following({ mode: SPEC.PLAYER, id: 1 }), 0, -1, { x: 0, y: 0 })),
		gone: name(nextTarget(gone, 0, 1, { x: 0, y: 0 })),
		names: [watched(watching), watched(following({ mode: SPEC.PLAYER, id: 2 })), watched(following({ mode: SPEC.FLAG_BLUE, id: -1 }))],
		places: [placeOf(following({ mode: SPEC.PLAYER, id: 2 })).x, placeOf(following({ mode: SPEC.FLAG_BLUE, id: -1 })).x, placeOf(following({ mode: SPEC.PLAYER, id: 9, x: 77 })).x],
		zoom: [mayZoom(watching), mayZoom(moment([0])), mayZoom(moment([0], { game: { flags: GAME.RACE } }))],
	};
};

export const tally = () => {
	const t = new Tally(), kill = (key, killer, victim, weapon = 1, tick = 100) => ({ key, killer, victim, weapon, tick });
	const kills = [kill(1, 1, 2), kill(2, 1, 2), kill(3, 2, 2, -1), kill(4, 3, 3, -3), kill(5, -1, 1)];
	const at = (startTick, tick, extra = {}) => Object.assign(moment([0, 0, 0, 0], { game: { startTick } }), { tick }, extra), round = at(0, 100);
	t.read(kills.slice(0, 2), round, 0);
	t.read(kills, round, 0);
	t.read(kills, round, 0);
	const first = [1, 2, 3].map((id) => t.text(id));
	t.forget(2);
	const left = t.text(2);
	t.read([...kills, kill(6, 2, 1, 1, 150), kill(7, 2, 1, 1, 300)], at(200, 300), 0); // another round
	const next = [1, 2].map((id) => t.text(id));
	// The own player, others, a newcomer in place of one, and the next round.
	t.clear();
	t.read([kill(8, 1, 0, 1, 900)], at(200, 900), 0);
	t.forget(3);
	const late = [0, 1, 3].map((id) => t.text(id));
	t.read([], at(1000, 1001), 0);
	return [...first, left, ...next, ...late, t.text(1)];
};

export const board = () => [
	showsItself(moment([0]), 0, true), showsItself(moment([0]), 0, false), showsItself(moment([-1]), 0, false), showsItself(moment([0], { view: { spectating: true } }), 0, false),
	showsItself(moment([0], { game: { state: STATE.PAUSED } }), 0, false), showsItself(moment([-1], { game: { state: STATE.GAME_OVER } }), 0, false),
];

export const phases = () => {
	const show = (m) => { const { title, line } = phase(m, 0, 'R'); return [title, line, alive(m)].filter(Boolean).join(' | '); };
	const at = (state, stateEndTick, players = {}, flags = 0, extra = {}) => show(moment([0, 0, 1], { game: { state, stateEndTick, flags, ...extra }, players }));
	return [
		at(0, 0), at(STATE.WARMUP, 0), at(STATE.WARMUP, 151), at(STATE.WARMUP, 0, { 0: { ready: false }, 1: { ready: false } }), at(STATE.PAUSED, 0, { 1: { ready: false } }),
		at(STATE.PAUSED | STATE.START_COUNTDOWN, 100), at(STATE.GAME_OVER, 0, {}, GAME.TEAMS, { scoreRed: 2, scoreBlue: 5 }), at(STATE.GAME_OVER, -310, { 1: { score: 4 } }),
		at(STATE.ROUND_OVER, 0, { 0: { dead: true }, 1: { dead: true } }, GAME.SURVIVAL), at(0, 0, { 0: { dead: true } }, GAME.SURVIVAL | GAME.TEAMS),
	];
};

export const words = () => [
	formatDiff(-350), formatDiff(1204), finishLine({ player_name: 'a', milliseconds: 61230, diff: 0, record: false, personal: true }),
	finishLine({ player_name: 'b', milliseconds: 900, diff: -1500, record: false, personal: true }), finishLine({ player_name: 'c', milliseconds: 5, diff: 20, record: true, personal: true }),
];

export const loss = () => [lossOf([]), lossOf([2, 4, 6, 8]), lossOf([2, 4, 8, 10, 12]), lossOf([1, 2, 3, 4, 9])].map((v) => Number(v.toFixed(3)));

export const states = () => {
	const tee = { id: 0, weapon: 1, freeze: 1, freezeStart: 0, freezeEnd: 150, solo: true, practice: true, endlessHook: true, endlessJumps: false, jumps: 3, airJumps: 1, ninjaStart: 0, checkpoint: 0, nextX: 0, nextY: 0 };
	return statesOf({ ...moment([0], { players: { 0: { raceTeam: 5 } } }), tick: 50 }, tee, () => false)
		.map((s) => [s.kind, s.text, s.share?.toFixed(2), s.marks?.join('/')].filter(Boolean).join(' '));
};

export const deaths = () => {
	const d = new Deaths(), kill = (key, tick, weapon = WEAPON.GUN) => ({ key, tick, victim: 0, killer: 1, weapon }), m = moment([0, 0]), all = [];
	const at = (tick, alive, kills = [], change = {}) => {
		Object.assign(m, { tick, kills: list(kills) });
		Object.assign(m.view, { spectating: false }, change.view);
		m.game.state = change.state ?? 0;
		m.players[0].dead = change.dead ?? false;
		all.push(d.of(m, 0, alive)?.key ?? '');
	};
	at(10, false); // nobody has been killed yet
	at(100, true, [kill(1, 99)]); // the message is here before the picture
	at(102, false, [kill(1, 99), { ...kill(2, 100), victim: 1 }]);
	at(250, true, [kill(1, 99)]); // the new tee
	at(260, false, [kill(1, 99)]); // such as a change of the team
	at(300, true, [kill(3, 299)]); // the new tee is there at once
	at(360, true, [kill(3, 299)]);
	at(370, false, [kill(3, 299)]);
	at(400, false, [kill(4, 399, WEAPON.GAME)]);
	at(500, false, [kill(5, 499)], { state: STATE.GAME_OVER });
	at(501, false, [kill(5, 499)], { view: { spectating: true } });
	at(502, false, [kill(5, 499)], { view: { spectating: true }, dead: true });
	at(800, false, [kill(5, 499)], { view: { spectating: true }, dead: true });
	d.reset();
	at(801, false, [kill(0, 800)]);
	m.game.flags = GAME.RACE; // the new tee is there at once
	at(900, true, [kill(6, 900, WEAPON.WORLD)]);
	at(940, true, [kill(6, 900, WEAPON.WORLD)]);
	at(950, true, [kill(6, 900, WEAPON.WORLD)]);
	at(960, true, [kill(7, 960, WEAPON.SELF)]);
	return all;
};

export const deathWords = () => [[1, 3], [0, 3], [0, WEAPON.SELF], [-1, WEAPON.WORLD], [1, WEAPON.WORLD]].flatMap(([killer, weapon]) => [false, true].map((race) => {
	const { title, name, weapon: word } = deathTexts({ killer, victim: 0, weapon, killerName: 'p1' }, race);
	return [title, name, word].filter(Boolean).join(' ');
}));

export const comeback = () => {
	const camera = { x: 0, y: 0, zoom: 1, width: 1000, height: 600 }, c = new Comeback(), all = [];
	const place = (x, still = false) => all.push(`${c.place(camera, x, 0, 0.1, still)} ${Math.round(camera.x)}`);
	c.wait(); // before the first tee
	place(900);
	c.wait();
	place(500);
	place(510);
	place(520);
	place(530);
	c.wait();
	place(1200);
	place(1210);
	c.wait();
	place(1300, true);
	c.wait();
	c.forget(); // another map
	place(9000);
	return all;
};
