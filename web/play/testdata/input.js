// Functions for the tests of static/input and of the parts of static/page that use it.
import { Camera } from '/viewer/draw/camera.js';
import { INPUT } from '/play/engine/memory.js';
import { Actions } from '/play/input/actions.js';
import { Bindings, GROUPS } from '/play/input/bindings.js';
import { Gamepads } from '/play/input/gamepad.js';
import { Input } from '/play/input/input.js';
import { Keyboard } from '/play/input/keyboard.js';
import { label, learnKey, readLayout } from '/play/input/labels.js';
import { Mouse, Wheel } from '/play/input/mouse.js';
import { AimStick, MoveStick, stickAim } from '/play/input/sticks.js';
import { Overlays } from '/play/page/overlays.js';
import { Settings } from '/play/page/settings.js';
import { Touch } from '/play/page/touch.js';
import { TouchEditor } from '/play/page/touchedit.js';
import { place, radius } from '/play/page/touchplaces.js';

/** The states of actions in ticks; each character of a line is a change or, as |, the end of a tick. */
export function ticks(line) {
	const input = new Input();
	input.enabled = true;
	const keys = { j: 'jump', h: 'hook', l: 'left', r: 'right', f: 'fire' };
	let out = '';
	for (const c of line) {
		if (c === '|') {
			const v = input.write(-1);
			out += `${v[INPUT.DIRECTION]}${v[INPUT.JUMP]}${v[INPUT.HOOK]}${v[INPUT.FIRE]} `;
			input.sent();
		} else if (keys[c]) input.press(keys[c], 'a');
		else if (keys[c.toLowerCase()]) input.release(keys[c.toLowerCase()], 'a');
		else if (c === '+') input.press('jump', 'b');
		else if (c === '-') input.release('jump', 'b');
		else if (c === '0') input.releaseAll();
	}
	return out.trim();
}

/** The weapons that are wanted: wanted, next and previous. */
export function weapons() {
	const input = new Input(), out = [];
	const note = (weapon) => {
		const v = input.write(weapon);
		out.push(`${v[INPUT.WANTED_WEAPON]} ${v[INPUT.NEXT_WEAPON]} ${v[INPUT.PREV_WEAPON]}`);
	};
	input.choose(1);
	note(1);
	input.enabled = true;
	input.choose(3);
	note(1);
	note(3);
	input.choose(4);
	input.changeWeapon(1);
	note(3);
	for (let i = 0; i < 32; i++) input.changeWeapon(-1);
	input.changeWeapon(-1);
	note(3);
	return out;
}

/** Settings without storage. */
function settingsOf(values) {
	return { get: (name) => values[name], set: (name, value) => { values[name] = value; }, onchange() {} };
}

export function bindings() {
	const all = Object.values(GROUPS).flat(), codes = all.flatMap((a) => a.codes);
	const values = { keys: {} }, b = new Bindings(settingsOf(values)), out = { twice: codes.length - new Set(codes).size };
	out.taken = b.bind('fire', 'KeyE');
	out.emote = b.codes('emote').join();
	out.again = String(b.bind('fire', 'KeyE'));
	out.fire = b.codes('fire').join();
	out.escape = String(b.bind('fire', 'Escape')) + b.action('Escape');
	b.free('KeyA');
	out.left = b.codes('left').join();
	for (let i = 0; i < 20; i++) b.bind('jump', `F${i + 5}`);
	out.most = b.codes('jump').length;
	b.reset();
	out.reset = [b.action('KeyE'), b.changed, JSON.stringify(values.keys)].join();
	// What somebody has edited, or another version has stored.
	values.keys = { left: [1, null, 'KeyQ', '<b>', 'Escape', 'KeyQ'], jump: 'KeyZ', nonsense: ['KeyB'], fire: { length: 3 }, hook: [] };
	out.hostile = [b.codes('left'), b.codes('jump'), b.codes('hook'), b.action('KeyB')].join(';');
	out.emoteWithoutQ = b.codes('emote').join();
	return out;
}

/** The steps of a wheel for lists of [delta, mode, ms after the last]. */
export function wheel(...events) {
	const w = new Wheel();
	let at = 1000;
	return events.map(([delta, mode, after]) => w.turn(delta, mode, at += after));
}

export function sticks() {
	const move = new MoveStick(50), aim = new AimStick(50, 9), out = {};
	out.move = [move.start(100, 100), ...[105, 114, 110, 99, 160, 150, 90].map((x) => move.move(x, 300))].join();
	aim.start(200, 200);
	aim.move(204, 203);
	out.dead = [aim.aims, aim.aimX, aim.beyond].join();
	aim.move(230, 240);
	out.edge = [aim.aims, aim.aimX, aim.aimY, aim.beyond].join();
	aim.move(200, 251);
	out.beyond = [aim.aimX, aim.aimY, aim.beyond, aim.knobY].join();
	aim.move(200, 244);
	out.back = aim.beyond;
	aim.move(200, 241);
	out.within = aim.beyond;
	aim.start(10, 10);
	out.kept = [aim.aims, aim.aimY].join();
	out.pad = [[0.2, 0], [NaN, 0], [1, 0], [0, -0.3], [0.6, 0.6]].map(([x, y]) => stickAim(x, y)?.map((v) => v.toFixed(2)).join(' ') ?? 'none').join();
	return out;
}

/** The faults of the places of the touch controls: what is small, outside, or upon another control. */
export function faults(width, height, size, insets, moved) {
	const names = ['move', 'aim', 'jump', 'hook', 'fire', 'next_weapon', 'menu', 'emote', 'chat', 'scoreboard', 'fullscreen'], found = [];
	const at = names.map((name) => ({ name, r: radius(name, size), p: place(name, [width, height], insets, size, moved) }));
	for (const { name, r, p } of at) {
		if (r < 22) found.push(`${name} is small`);
		const inside = p[0] >= insets.left + r && p[0] <= width - insets.right - r && p[1] >= insets.top + r && p[1] <= height - insets.bottom - r;
		if (!inside) found.push(`${name} is outside: ${p}`);
		for (const o of at) if (o.name < name && Math.hypot(o.p[0] - p[0], o.p[1] - p[1]) < o.r + r - 1) found.push(`${name} is upon ${o.name}`);
	}
	return found;
}

export async function labels() {
	const out = [label('KeyQ'), label('Slash'), label('ShiftLeft'), label('ControlRight'), label('Numpad7'), label('Mouse2'), label('Pad0'), label('Mouse7')];
	learnKey(new KeyboardEvent('keydown', { code: 'KeyQ', key: 'a' }));
	learnKey(new KeyboardEvent('keydown', { code: 'KeyW', key: 'Z', shiftKey: true }));
	out.push(label('KeyQ'), label('KeyW'));
	Object.defineProperty(navigator, 'keyboard', { configurable: true, value: { getLayoutMap: async () => new Map([['KeyW', 'z'], ['Quote', 'ä']]) } });
	await readLayout();
	out.push(label('KeyW'), label('Quote'));
	Object.defineProperty(navigator, 'keyboard', { configurable: true, value: { getLayoutMap: () => Promise.reject(new Error('no')) } });
	await readLayout();
	return out;
}

/** Puts what the parts need on the page, and the parts, as the variable game. */
export function stage() {
	const canvas = document.getElementById('view');
	canvas.width = canvas.clientWidth;
	canvas.height = canvas.clientHeight;
	const settings = new Settings(), input = new Input(), actions = new Actions(input, settings), camera = new Camera();
	camera.resize(canvas.width, canvas.height);
	const mouse = new Mouse(canvas, actions, settings, camera), began = [];
	const game = globalThis.game = {
		stage: document.getElementById('stage'), canvas, settings, input, actions, camera, mouse, began, moment: null,
		keyboard: new Keyboard(actions), gamepads: new Gamepads(actions), overlays: new Overlays(input, mouse),
		connection: { engine: { self: 0 } },
	};
	game.touch = new Touch(game);
	game.editor = new TouchEditor(game, game.touch);
	for (const a of Object.values(GROUPS).flat()) game.keyboard.on(a.name, () => began.push(a.name), () => began.push(`/${a.name}`));
	game.menu = { name: 'menu', show() { began.push('the menu'); }, hide() {} };
	game.overlays.menu = game.menu;
	input.enabled = true;
	setInterval(() => game.touch.update(), 20);
	return true;
}

/** What is held, as letters, and the counter of fire. */
export function held() {
	const { held, fire } = game.input;
	return Object.entries(held).filter(([, n]) => n > 0).map(([name]) => name).join(' ') + `, ${fire}`;
}

/** Lets the browser's lock answer with errors of these names, and then with success. The pointer is not locked. */
export function answerLock(...errors) {
	Object.assign(game, { asked: [], element: null });
	Object.defineProperty(document, 'pointerLockElement', { configurable: true, get: () => game.element });
	document.exitPointerLock = () => lockBecomes(null);
	game.canvas.requestPointerLock = async (options) => {
		game.asked.push(options?.unadjustedMovement ? 'raw' : 'plain');
		const name = errors.shift();
		if (name) throw new DOMException('refused', name);
		lockBecomes(game.canvas);
	};
}

function lockBecomes(element) {
	game.element = element;
	document.dispatchEvent(new Event('pointerlockchange'));
}

/** Gives the page a gamepad, whose buttons and axes the tests change. */
export function plugIn() {
	const pad = { connected: true, axes: [0, 0, 0, 0], buttons: Array.from({ length: 17 }, () => ({ pressed: false, value: 0 })) };
	game.pad = pad;
	navigator.getGamepads = () => [null, pad];
	dispatchEvent(new Event('gamepadconnected'));
	return game.gamepads.number;
}
