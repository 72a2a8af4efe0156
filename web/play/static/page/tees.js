/**
 * Pictures of tees beside the match: in the card and in the editor of skins. One hidden canvas draws
 * all of them, as the match does.
 *
 * @module
 */

import { Pose } from '../../viewer/draw/anim.js';
import { Atlas } from '../../viewer/draw/atlas.js';
import { Camera } from '../../viewer/draw/camera.js';
import { Names } from '../../viewer/draw/names.js';
import { OriginalStyle } from '../../viewer/draw/original.js';
import { OwnStyle } from '../../viewer/draw/own.js';
import { Looks } from '../../viewer/draw/skins.js';
import { Sprites } from '../../viewer/draw/sprites.js';
import { newTee } from '../../viewer/match/moment.js';
import { EMOTE } from '../../viewer/match/types.js';

/** @typedef {import('../engine/engine.js').Skin} Skin */

/** The visible size, in world units. A tee is 64. */
const VIEW = 88;

/** The time until pictures whose images are missing are drawn again, in ms. */
const AGAIN = 150;

/** How often pictures are drawn again while images are missing. */
const TRIES = 60;

export class Tees {
	/** @param {import('../../viewer/draw/scene.js').Scene} scene whose look the pictures have */
	constructor(scene) {
		this.scene = scene;
		this.canvas = document.createElement('canvas');
		this.camera = new Camera();
		this.looks = new Looks();
		this.pose = new Pose();
		this.tee = newTee();
		/** @type {WebGL2RenderingContext | null} */
		this.gl = null;
		/** The pictures whose images are missing, with the number of tries. @type {Map<HTMLCanvasElement, { skin: Skin, emote: number, tries: number }>} */
		this.incomplete = new Map();
		this.timer = 0;
	}

	/** Creates the resources for drawing, and again when the images of the game change. */
	#prepare() {
		const { scene } = this;
		if (!this.gl) {
			this.gl = this.canvas.getContext('webgl2', { alpha: true, premultipliedAlpha: true, antialias: false, depth: false });
			if (!this.gl) return false;
			this.gl.enable(this.gl.BLEND);
			this.gl.blendFunc(this.gl.ONE, this.gl.ONE_MINUS_SRC_ALPHA);
			this.sprites = new Sprites(this.gl);
			this.names = new Names(this.gl);
			this.own = new OwnStyle(this.sprites, this.names);
			this.style = this.own;
		}
		if (this.files !== scene.files && this.sprites && this.own) {
			this.files = scene.files;
			this.atlas = new Atlas(this.gl, scene.base, scene.files);
			this.original = scene.original ? new OriginalStyle(this.sprites, this.atlas, this.own) : null;
		}
		return true;
	}

	/**
	 * Draws a tee on a canvas, over nothing.
	 * @param {HTMLCanvasElement} to
	 * @param {Skin} skin
	 * @param {number} [emote] EMOTE
	 */
	draw(to, skin, emote = EMOTE.NORMAL) {
		const complete = this.#paint(to, skin, emote);
		const tries = this.incomplete.get(to)?.tries ?? 0;
		this.incomplete.delete(to);
		if (complete || tries >= TRIES) return;
		this.incomplete.set(to, { skin, emote, tries: tries + 1 });
		this.timer ||= setTimeout(() => {
			this.timer = 0;
			for (const [canvas, { skin: s, emote: e }] of [...this.incomplete]) {
				if (canvas.isConnected) this.draw(canvas, s, e);
				else this.incomplete.delete(canvas);
			}
		}, AGAIN);
	}

	/**
	 * Draws a tee, and reports whether all of its images are there.
	 * @param {HTMLCanvasElement} to
	 * @param {Skin} skin
	 * @param {number} emote
	 */
	#paint(to, skin, emote) {
		const context = to.getContext('2d');
		if (!this.#prepare() || !this.gl || !this.sprites || !context) return true;
		const { gl, camera, canvas } = this;
		if (canvas.width !== to.width || canvas.height !== to.height) [canvas.width, canvas.height] = [to.width, to.height];
		camera.resize(to.width, to.height);
		[camera.x, camera.y, camera.zoom] = [0, 0, VIEW / Math.min(camera.width, camera.height)];
		const player = { ...PLAYER, skin: { parts: skin.map((p) => p[0]), useCustomColors: skin.map((p) => p[1]), colors: skin.map((p) => p[2]) } };
		const look = this.looks.of(player, 0, false);
		const original = this.scene.useImages ? this.original : null, style = original ?? this.own;
		const complete = original?.hasImages(look) ?? true;
		gl.viewport(0, 0, canvas.width, canvas.height);
		gl.clearColor(0, 0, 0, 0);
		gl.clear(gl.COLOR_BUFFER_BIT);
		this.atlas?.update();
		this.pose.set(false, true, false, 0);
		style?.tee(0, 6, this.pose, 1, 0, emote, look, this.tee, player);
		this.sprites.flush(camera, this.atlas?.texture ?? null, this.names?.texture ?? null);
		context.clearRect(0, 0, to.width, to.height);
		context.drawImage(canvas, 0, 0);
		return complete;
	}
}

/** The player of a picture, but for its skin. */
const PLAYER = {
	id: 0, active: true, local: false, name: '', clan: '', country: -1, team: 0, score: 0, latency: 0, ready: false, dead: false, admin: false, bot: false,
	chatting: false, watching: false, raceStartTick: 0, raceTeam: 0,
};
