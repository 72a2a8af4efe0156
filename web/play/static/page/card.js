/**
 * The card with which a player joins, and which says why a match has ended.
 *
 * @module
 */

import { byId, make, setText } from '../../viewer/page/dom.js';

/** The skin until the player chooses one. @type {import('../engine/engine.js').Skin} */
const STANDARD = [['standard', false, 0], ['', false, 0], ['', false, 0], ['standard', false, 0], ['standard', false, 0], ['standard', false, 0]];

/** @implements {import('./game.js').Part} */
export class Card {
	/** @param {import('./game.js').Game} game */
	constructor(game) {
		this.game = game;
		this.box = make('form');
		this.box.id = 'card';
		this.name = make('input');
		this.name.maxLength = 15;
		this.name.value = game.settings.get('name');
		this.name.placeholder = 'nameless tee';
		this.name.setAttribute('aria-label', 'name');
		this.play = make('button', 'play', 'Play');
		this.text = make('p');
		this.box.append(this.name, this.play, this.text);
		game.stage.append(this.box);
		this.overlay = { name: 'card', pinned: true, show: () => { this.box.hidden = false; }, hide: () => { this.box.hidden = true; } };
		this.box.addEventListener('submit', (e) => {
			e.preventDefault();
			this.join();
		});
		for (const type of ['ended', 'crash']) game.connection.addEventListener(type, (e) => this.show(/** @type {CustomEvent} */ (e).detail.reason));
		game.connection.addEventListener('map_loading', () => setText(byId('status'), 'Loading the map.'));
		game.connection.addEventListener('entered', () => setText(byId('status'), ''));
		this.show('');
	}

	/** Shows the card with a text, such as why the match has ended. @param {string} text */
	show(text) {
		setText(this.text, text);
		this.game.overlays.show(this.overlay);
	}

	/** Joins as the player of the card. */
	async join() {
		const { connection, overlays, settings } = this.game;
		settings.set('name', this.name.value.trim());
		setText(byId('status'), 'Connecting.');
		overlays.close();
		await connection.open({
			name: settings.get('name'), clan: settings.get('clan'), country: settings.get('country'),
			skin: settings.get('skin').length === STANDARD.length ? settings.get('skin') : STANDARD,
			password: '', version: '0.7', ddnetVersion: 0, identity: settings.get('identity'),
		});
	}
}
