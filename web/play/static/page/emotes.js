/**
 * The wheel of emoticons: a direction chooses one while the key is held; on touch screens a tap.
 *
 * @module
 */

import { EMOTICON } from '../../viewer/match/types.js';
import { make } from '../../viewer/page/dom.js';
import { EMOTICONS, EYES, Wheel } from '../talk/wheel.js';

/** The names of the emoticons, by EMOTICON. */
const NAMES = Object.entries(EMOTICON).sort(([, a], [, b]) => a - b).map(([name]) => name.toLowerCase());

/** How far the aim of a gamepad must move to choose, in world units. */
const PAD = 12;

/** The seconds for which the eyes of a tee keep their expression. */
const EYE_SECONDS = 10;

/** @implements {import('./game.js').Part} */
export class Emotes {
	/** @param {import('./game.js').Game} game */
	constructor(game) {
		this.game = game;
		this.wheel = new Wheel();
		/** The aim of the tee when the wheel opened. */
		this.aim = { x: 0, y: 0 };
		this.icons = -1;
		this.chosen = '';
		this.box = make('section');
		this.box.id = 'emotes';
		this.box.hidden = true;
		this.box.setAttribute('aria-label', 'emoticons');
		/** @type {Record<string, HTMLButtonElement[]>} */
		this.buttons = {
			emoticons: NAMES.map((name, i) => this.#button(name, '', i / EMOTICONS, () => this.#send({ circle: 'emoticons', index: i }))),
			eyes: EYES.map((name, i) => this.#button(`eyes: ${name}`, name, i / EYES.length, () => this.#send({ circle: 'eyes', index: i }))),
		};
		for (const b of this.buttons.eyes) b.classList.add('eyes');
		this.box.append(...this.buttons.emoticons, ...this.buttons.eyes);
		this.box.addEventListener('click', (e) => { if (e.target === this.box) game.overlays.close(); });
		game.stage.append(this.box);
		this.overlay = { name: 'emotes', show: () => this.#show(true), hide: () => this.#hide() };
		game.keyboard.on('emote', () => this.#begin(), () => this.#end());
		// While the wheel is open, the mouse moves its choice and not the aim.
		addEventListener('pointermove', (e) => this.#move(e), true);
		for (const type of ['ended', 'crash']) game.connection.addEventListener(type, () => this.#hide());
	}

	/** @param {string} label @param {string} text @param {number} turn @param {() => void} click */
	#button(label, text, turn, click) {
		const b = make('button', '', text);
		b.type = 'button';
		b.setAttribute('aria-label', label);
		b.style.setProperty('--x', String(Math.cos(turn * 2 * Math.PI)));
		b.style.setProperty('--y', String(Math.sin(turn * 2 * Math.PI)));
		b.addEventListener('click', click);
		return b;
	}

	get held() {
		return !this.box.hidden && this.game.overlays.open !== this.overlay;
	}

	#begin() {
		const { game } = this;
		if (!game.connection.playing) return;
		this.wheel.eyes = game.chat.canRun('emote');
		for (const b of this.buttons.eyes) b.hidden = !this.wheel.eyes;
		if (game.actions.running.has('touch emote')) game.overlays.show(this.overlay); // stays until a tap
		else this.#show(false);
	}

	/** @param {boolean} tapped whether taps choose */
	#show(tapped) {
		const { input } = this.game;
		this.aim = { x: input.x, y: input.y };
		this.wheel.reset();
		this.#mark();
		this.box.classList.toggle('tapped', tapped);
		this.box.hidden = false;
		this.#draw();
	}

	#hide() {
		this.box.hidden = true;
	}

	/** The key is up: what is chosen is sent. */
	#end() {
		if (!this.held) return;
		const { choice } = this.wheel;
		if (choice) this.#send(choice);
		else this.#hide();
	}

	/** @param {import('../talk/wheel.js').Choice} choice */
	#send({ circle, index }) {
		const { connection, overlays } = this.game;
		if (circle === 'emoticons') connection.act('emote', index);
		else connection.act('command', 'emote', `${EYES[index]} ${EYE_SECONDS}`);
		if (overlays.open === this.overlay) overlays.close();
		else this.#hide();
	}

	/** @param {PointerEvent} e */
	#move(e) {
		if (!this.held || e.pointerType === 'touch') return;
		e.stopPropagation();
		const { mouse, settings } = this.game, box = this.box.getBoundingClientRect(), speed = settings.get('sensitivity');
		if (mouse.locked) this.wheel.move(e.movementX * speed, e.movementY * speed);
		else this.wheel.point(e.clientX - box.left - box.width / 2, e.clientY - box.top - box.height / 2);
		this.#mark();
	}

	/** Marks what is chosen. */
	#mark() {
		const { choice } = this.wheel, chosen = choice ? `${choice.circle} ${choice.index}` : '';
		if (chosen === this.chosen) return;
		this.chosen = chosen;
		for (const [circle, all] of Object.entries(this.buttons)) all.forEach((b, i) => b.classList.toggle('chosen', chosen === `${circle} ${i}`));
	}

	/** Puts the pictures of the look on the buttons, as far as they are drawn. */
	#draw() {
		const { icons } = this.game;
		let missing = false;
		this.buttons.emoticons.forEach((b, i) => {
			const icon = icons.emoticon(i);
			if (icon) b.style.backgroundImage = `url(${icon.url})`;
			else missing = true;
		});
		this.icons = missing ? -1 : icons.version;
	}

	frame() {
		if (!this.held) return;
		const { input } = this.game, { x, y } = this.aim;
		if (Math.hypot(input.x - x, input.y - y) < PAD) return; // a gamepad aims
		this.wheel.point(input.x, input.y);
		this.#mark();
	}

	update() {
		if (this.icons !== this.game.icons.version) this.#draw();
	}
}
