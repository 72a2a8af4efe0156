/**
 * The page that plays: the picture of the match, and the parts around it.
 *
 * @module
 */

import { Camera } from '../../viewer/draw/camera.js';
import { Icons } from '../../viewer/draw/icons.js';
import { Resolution } from '../../viewer/draw/resolution.js';
import { Scene } from '../../viewer/draw/scene.js';
import { byId } from '../../viewer/page/dom.js';
import { Frame } from '../../viewer/page/frame.js';
import { Hud } from '../../viewer/page/hud.js';
import { Sounds } from '../../viewer/page/sound.js';
import { Actions } from '../input/actions.js';
import { Gamepads } from '../input/gamepad.js';
import { Input } from '../input/input.js';
import { Keyboard } from '../input/keyboard.js';
import { Mouse } from '../input/mouse.js';
import { Board } from './board.js';
import { Card } from './card.js';
import { Chat } from './chat.js';
import { Connection } from './connection.js';
import { Crosshair } from './crosshair.js';
import { Death } from './death.js';
import { Emotes } from './emotes.js';
import { Help } from './help.js';
import { Hint } from './hint.js';
import { Keys } from './keys.js';
import { askBeforeLinks } from './leaving.js';
import { Loading } from './loading.js';
import { Menu } from './menu.js';
import { Net } from './net.js';
import { Overlays } from './overlays.js';
import { Players } from './players.js';
import { Race } from './race.js';
import { Rcon } from './rcon.js';
import { Screen } from './screen.js';
import { Settings } from './settings.js';
import { MatchSounds } from './sounds.js';
import { Spectate } from './spectate.js';
import { State } from './state.js';
import { Teams } from './teams.js';
import { Texts } from './texts.js';
import { Touch } from './touch.js';
import { View } from './view.js';
import { Votes } from './votes.js';
import { Watching } from './watching.js';

/** The interval at which texts are updated, in ms. */
const TEXT_EVERY = 100;

/** The path of the original game's images below the server's path. */
const DATA = '/viewer/data/';

/** @typedef {import('../../viewer/match/types.js').Moment} Moment */

/**
 * A part of the page, which makes its own elements and listens to the connection.
 * @typedef {object} Part
 * @property {(m: Moment, now: number) => void} [frame] called with each picture, after it is drawn
 * @property {(m: Moment, now: number) => void} [update] called ten times a second while there is a match
 */

export class Game {
	/**
	 * @param {string} root the path of the server, without a slash at the end
	 * @param {import('../engine/program.js').Program} program
	 */
	constructor(root, program) {
		this.root = root;
		this.program = program;
		this.settings = new Settings();
		this.canvas = /** @type {HTMLCanvasElement} */ (byId('view'));
		this.stage = byId('stage');
		this.scene = new Scene(this.canvas);
		this.camera = new Camera();
		/** Follows the speed of the graphics card. */
		this.resolution = new Resolution();
		this.before = 0;
		this.sounds = new Sounds();
		this.input = new Input();
		this.connection = new Connection({ root, program, input: this.input });
		this.actions = new Actions(this.input, this.settings);
		this.keyboard = new Keyboard(this.actions);
		this.mouse = new Mouse(this.canvas, this.actions, this.settings, this.camera);
		this.gamepads = new Gamepads(this.actions);
		this.overlays = new Overlays(this.input, this.mouse);
		/** The last moment that was drawn. @type {Moment | null} */
		this.moment = null;
		this.textAt = 0;
		this.icons = new Icons(this.scene);
		this.hud = new Hud(this.icons);
		this.head = new Frame({ root, page: 'play', load: false, help: () => this.help.open() });
		this.view = new View(this);
		this.board = new Board(this);
		this.spectate = new Spectate(this);
		this.watching = new Watching(this);
		this.menu = new Menu(this);
		this.screen = new Screen(this);
		this.touch = new Touch(this);
		this.keys = new Keys(this);
		this.help = new Help(this);
		this.card = new Card(this);
		this.chat = new Chat(this);
		this.votes = new Votes(this);
		this.players = new Players(this);
		this.teams = new Teams(this);
		this.emotes = new Emotes(this);
		this.rcon = new Rcon(this);
		/** @type {Part[]} */
		this.parts = [
			{ update: (m) => this.hud.update(m) },
			{ frame: () => this.mouse.aim(this.connection.match.own) },
			new State(this),
			new Death(this),
			new Crosshair(this),
			this.touch,
			this.board,
			this.spectate,
			new Race(this),
			new Texts(this),
			new Hint(this),
			new Net(this),
			new MatchSounds(this),
			this.card,
			new Loading(this),
			this.chat,
			this.votes,
			this.players,
			this.teams,
			this.emotes,
		];
		askBeforeLinks(this);
		this.connection.addEventListener('map', (e) => {
			const { name, data } = /** @type {CustomEvent} */ (e).detail;
			this.watching.stop();
			this.scene.setMap(data, name);
		});
		this.#useImages();
		new ResizeObserver(() => this.resize()).observe(this.canvas);
		this.resize();
		const frame = (/** @type {number} */ now) => {
			requestAnimationFrame(frame);
			this.frame(now);
		};
		requestAnimationFrame(frame);
	}

	/** Uses the images of the original game if the server has them. */
	async #useImages() {
		try {
			const files = new Set(/** @type {string[]} */ (await (await fetch(this.root + DATA + 'index.json')).json()));
			await this.scene.setImages(this.root + DATA, files, localStorage.getItem('teeyard look') !== 'own');
		} catch (err) {
			console.warn(`The images of the game cannot be loaded: ${err}`); // the page has a look of its own
		}
	}

	resize() {
		const k = Math.min(devicePixelRatio || 1, 2) * this.resolution.scale;
		this.canvas.width = Math.max(1, Math.round(this.canvas.clientWidth * k));
		this.canvas.height = Math.max(1, Math.round(this.canvas.clientHeight * k));
		this.camera.resize(this.canvas.width, this.canvas.height);
	}

	/** @param {number} now in ms */
	frame(now) {
		const { connection } = this, texts = now - this.textAt >= TEXT_EVERY;
		if (texts) {
			this.textAt = now;
			byId('top').hidden = !this.watching.isLive && !this.moment;
			this.icons.update();
		}
		if ((connection.map ?? this.watching.map) && this.resolution.update(now - this.before)) this.resize();
		this.before = now;
		connection.step();
		this.watching.frame(now);
		if (texts && this.watching.isLive) this.hud.update(/** @type {Moment} */ (this.watching.moment));
		if (!connection.engine || !connection.map || this.watching.live) return;
		const m = this.moment = connection.match.at(connection.engine);
		if (!m) return;
		this.view.place(m, now);
		this.scene.followed = m.view.spectating ? m.view.id : connection.engine.self;
		this.scene.draw(m, this.camera);
		for (const part of this.parts) part.frame?.(m, now);
		if (!texts) return;
		for (const part of this.parts) part.update?.(m, now);
	}
}
