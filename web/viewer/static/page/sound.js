/**
 * Sounds, synthesised by code. They are off until the user turns them on.
 *
 * @module
 */

import { EFFECT, SOUND, TICKS_PER_SECOND } from '../match/types.js';

/** The maximum distance at which sounds are audible, in world units. */
const RADIUS = 1500;

/** The maximum number of sounds that begin in a frame, and of those that are played at the same time. */
const MAX_SOUNDS = 8, MAX_AT_ONCE = 48;

/**
 * The parameters of sounds: a gliding tone and fading noise.
 * @type {Record<string, {from: number, to: number, length: number, tone: number, noise: number, wave: OscillatorType}>}
 */
const RECIPES = {
	'gun fire': { from: 700, to: 150, length: 0.12, tone: 0.25, noise: 0.35, wave: 'square' },
	'shotgun fire': { from: 300, to: 60, length: 0.28, tone: 0.3, noise: 0.6, wave: 'square' },
	'grenade fire': { from: 180, to: 320, length: 0.2, tone: 0.45, noise: 0.25, wave: 'triangle' },
	'hammer fire': { from: 260, to: 120, length: 0.12, tone: 0.15, noise: 0.25, wave: 'sine' },
	'hammer hit': { from: 160, to: 50, length: 0.18, tone: 0.6, noise: 0.5, wave: 'sine' },
	'ninja fire': { from: 900, to: 300, length: 0.25, tone: 0.12, noise: 0.35, wave: 'sawtooth' },
	'grenade explode': { from: 110, to: 30, length: 0.55, tone: 0.7, noise: 0.9, wave: 'sine' },
	'ninja hit': { from: 1200, to: 500, length: 0.15, tone: 0.2, noise: 0.4, wave: 'sawtooth' },
	'laser fire': { from: 1500, to: 300, length: 0.3, tone: 0.25, noise: 0.05, wave: 'sawtooth' },
	'laser bounce': { from: 900, to: 1300, length: 0.12, tone: 0.18, noise: 0.02, wave: 'sawtooth' },
	'pain short': { from: 500, to: 380, length: 0.1, tone: 0.25, noise: 0.05, wave: 'triangle' },
	'pain long': { from: 560, to: 300, length: 0.25, tone: 0.3, noise: 0.05, wave: 'triangle' },
	'air jump': { from: 300, to: 620, length: 0.14, tone: 0.18, noise: 0.12, wave: 'sine' },
	jump: { from: 220, to: 300, length: 0.07, tone: 0.1, noise: 0.08, wave: 'sine' },
	die: { from: 420, to: 70, length: 0.5, tone: 0.4, noise: 0.4, wave: 'triangle' },
	spawn: { from: 300, to: 900, length: 0.4, tone: 0.2, noise: 0.05, wave: 'sine' },
	'hook attach ground': { from: 1400, to: 700, length: 0.05, tone: 0.16, noise: 0.12, wave: 'square' },
	'hook attach player': { from: 500, to: 250, length: 0.08, tone: 0.25, noise: 0.15, wave: 'square' },
	'hook no attach': { from: 2200, to: 1800, length: 0.05, tone: 0.12, noise: 0.05, wave: 'square' },
	'pickup health': { from: 660, to: 990, length: 0.18, tone: 0.22, noise: 0, wave: 'sine' },
	'pickup armor': { from: 520, to: 780, length: 0.18, tone: 0.22, noise: 0.05, wave: 'triangle' },
	'pickup grenade': { from: 240, to: 480, length: 0.2, tone: 0.25, noise: 0.1, wave: 'square' },
	'pickup shotgun': { from: 260, to: 520, length: 0.2, tone: 0.25, noise: 0.1, wave: 'square' },
	'pickup ninja': { from: 400, to: 1600, length: 0.35, tone: 0.2, noise: 0.05, wave: 'sawtooth' },
	'weapon spawn': { from: 300, to: 420, length: 0.2, tone: 0.12, noise: 0.02, wave: 'sine' },
	'weapon switch': { from: 520, to: 700, length: 0.05, tone: 0.12, noise: 0.12, wave: 'square' },
	'no ammo': { from: 240, to: 200, length: 0.06, tone: 0.16, noise: 0.1, wave: 'square' },
	'body land': { from: 140, to: 70, length: 0.08, tone: 0.16, noise: 0.16, wave: 'sine' },
	'chat server': { from: 560, to: 700, length: 0.1, tone: 0.14, noise: 0, wave: 'sine' },
	'chat client': { from: 780, to: 780, length: 0.05, tone: 0.12, noise: 0, wave: 'sine' },
	'chat highlight': { from: 780, to: 1180, length: 0.16, tone: 0.2, noise: 0, wave: 'triangle' },
	hit: { from: 1600, to: 1200, length: 0.06, tone: 0.18, noise: 0, wave: 'sine' },
	'ctf capture': { from: 520, to: 1040, length: 0.7, tone: 0.35, noise: 0, wave: 'triangle' },
	'ctf grab enemy': { from: 700, to: 350, length: 0.4, tone: 0.3, noise: 0, wave: 'triangle' },
	'ctf grab own': { from: 350, to: 700, length: 0.4, tone: 0.3, noise: 0, wave: 'triangle' },
	'ctf return': { from: 440, to: 660, length: 0.3, tone: 0.3, noise: 0, wave: 'triangle' },
	'ctf drop': { from: 500, to: 250, length: 0.3, tone: 0.3, noise: 0, wave: 'triangle' },
};

/** The sounds of effects other than SOUND, by EFFECT. @type {Record<number, string>} */
const EFFECT_SOUNDS = {
	[EFFECT.EXPLOSION]: 'grenade explode', [EFFECT.SPAWN]: 'spawn', [EFFECT.HAMMER_HIT]: 'hammer hit', [EFFECT.DEATH]: 'die', [EFFECT.AIR_JUMP]: 'air jump', [EFFECT.JUMP]: 'jump',
	[EFFECT.HOOK_ATTACH_GROUND]: 'hook attach ground', [EFFECT.HOOK_ATTACH_PLAYER]: 'hook attach player', [EFFECT.HOOK_HIT_NOHOOK]: 'hook no attach',
};

export class Sounds {
	/** @type {AudioContext|null} */
	context = null;
	on = false;
	/** The volume, 0 to 1. */
	level = 0.5;
	/** When each sound that is played ends, in the time of the context. @type {number[]} */
	ends = [];
	/** The last tick whose sounds have been played. */
	tick = Infinity;

	/** Toggles the sound, and returns whether it is on. */
	toggle() {
		if (this.on) this.on = false;
		else this.start();
		return this.on;
	}

	/** Turns the sound on. Browsers allow that only at a click or a key. */
	start() {
		this.on = true;
		if (!this.context) {
			this.context = new AudioContext();
			const n = this.context.sampleRate;
			this.noise = this.context.createBuffer(1, n, n);
			const data = this.noise.getChannelData(0);
			for (let i = 0; i < n; i++) data[i] = Math.random() * 2 - 1;
			this.volume = this.context.createGain();
			this.volume.gain.value = this.level;
			this.volume.connect(this.context.destination);
		}
		this.context.resume();
	}

	/** Sets the volume. @param {number} level 0 to 1 */
	setVolume(level) {
		this.level = level;
		if (this.volume) this.volume.gain.value = level;
	}

	/** Resets the played tick, for another match. */
	reset() {
		this.tick = Infinity;
	}

	/**
	 * Plays the sounds of the latest effects.
	 * @param {import('../match/types.js').Moment} m
	 * @param {import('../draw/camera.js').Camera} camera
	 * @param {import('./clock.js').Clock} clock
	 */
	play(m, camera, clock) {
		const steady = m.tick > this.tick && m.tick - this.tick < TICKS_PER_SECOND;
		const since = this.tick;
		this.tick = m.tick;
		if (!this.on || !this.context || !steady || clock.speed > 2) return;
		let n = 0;
		for (let i = m.effects.length - 1; i >= 0 && n < MAX_SOUNDS; i--) {
			const e = m.effects.items[i];
			if (e.tick > m.tick || e.tick <= since) continue;
			const name = e.kind === EFFECT.SOUND ? SOUND[e.sound] : EFFECT_SOUNDS[e.kind];
			const recipe = name ? RECIPES[name] : undefined;
			if (!recipe) continue;
			const [dx, dy] = [e.x - camera.x, e.y - camera.y];
			const loud = 1 - Math.hypot(dx, dy) / (RADIUS * Math.max(1, camera.zoom));
			if (loud <= 0) continue;
			this.make(this.context, recipe, loud, Math.min(Math.max(dx / RADIUS, -1), 1), clock.speed);
			n++;
		}
	}

	/** Plays a sound that has no place. @param {string | undefined} name one of SOUND */
	playOne(name) {
		const recipe = name ? RECIPES[name] : undefined;
		if (recipe && this.on && this.context) this.make(this.context, recipe, 1, 0, 1);
	}

	/**
	 * @param {AudioContext} context
	 * @param {{from: number, to: number, length: number, tone: number, noise: number, wave: OscillatorType}} r
	 * @param {number} loud 0 to 1
	 * @param {number} side -1 left to 1 right
	 * @param {number} speed
	 */
	make(context, r, loud, side, speed) {
		const now = context.currentTime;
		const pitch = (0.94 + Math.random() * 0.12) * Math.sqrt(speed);
		const end = now + r.length / Math.sqrt(speed);
		this.ends = this.ends.filter((t) => t > now);
		if (this.ends.length >= MAX_AT_ONCE) return;
		this.ends.push(end);
		const out = context.createStereoPanner();
		out.pan.value = side;
		if (this.volume) out.connect(this.volume);
		const part = (/** @type {AudioScheduledSourceNode} */ source, /** @type {number} */ level) => {
			const gain = context.createGain();
			gain.gain.setValueAtTime(level * loud * loud, now);
			gain.gain.exponentialRampToValueAtTime(0.0005, end);
			source.connect(gain).connect(out);
			source.start(now);
			source.stop(end);
		};
		const tone = context.createOscillator();
		tone.type = r.wave;
		tone.frequency.setValueAtTime(r.from * pitch, now);
		tone.frequency.exponentialRampToValueAtTime(r.to * pitch, end);
		part(tone, r.tone);
		if (r.noise > 0 && this.noise) {
			const noise = context.createBufferSource();
			noise.buffer = this.noise;
			noise.playbackRate.value = 0.4 + Math.random() * 0.3;
			part(noise, r.noise);
		}
	}
}
