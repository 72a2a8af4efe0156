/**
 * The buttons and the keys.
 *
 * @module
 */

import { TEAM } from '../match/types.js';
import { SPEEDS } from './clock.js';
import { ICON, button, byId, make, setIcon } from './dom.js';

/** The keys, for the help. @type {[string, string][]} */
const HELP = [
	['Space', 'pause or continue'], ['J  L', 'five seconds back or forward'], [',  .', 'one frame back or forward'], ['[  ]', 'slower or faster'], ['P  N', 'previous or next kill or capture'],
	['Home  End', 'to the beginning; to the end or live'], ['F  G', 'follow the next or previous player'], ['0', 'choose the player automatically'], ['Esc', 'free camera'],
	['Arrows  WASD', 'move the camera'], ['+  −', 'zoom, like the mouse wheel'], ['T', 'players'], ['M', 'map'], ['H', 'hide everything except the match'], ['C', 'copy a link to this moment'],
	['B', 'sound'], ['V', 'look of the game or of this page'],
];

export class Bar {
	/** @param {import('./viewer.js').Viewer} viewer */
	constructor(viewer) {
		this.viewer = viewer;
		const v = viewer;
		const box = byId('buttons');
		this.play = button('Pause', ICON.PAUSE, () => v.clock.toggle());
		this.live = make('button', 'live', 'Live');
		this.live.type = 'button';
		this.live.addEventListener('click', () => v.clock.goLive());
		this.speed = make('select');
		this.speed.setAttribute('aria-label', 'speed');
		this.speed.title = 'Speed';
		for (const s of SPEEDS) this.speed.append(new Option(`${s}×`, String(s)));
		this.speed.addEventListener('change', () => v.clock.setSpeed(Number(this.speed.value)));
		this.who = make('select');
		this.who.setAttribute('aria-label', 'player to follow');
		this.who.title = 'Player to follow';
		this.who.addEventListener('change', () => this.follow(this.who.value));
		this.players = '';
		this.scores = button('Players', ICON.PLAYERS, () => this.toggleScores());
		this.sound = button('Sound', ICON.SOUND, () => this.toggleSound());
		this.look = button('Look: images of the game', ICON.LOOK, () => this.toggleLook());
		this.look.hidden = true;
		const copy = button('Copy a link to this moment', ICON.LINK, () => this.copyLink());
		const full = button('Full screen', ICON.FULL, () => this.toggleFullScreen());
		const file = make('input');
		file.type = 'file';
		file.hidden = true;
		file.setAttribute('aria-label', 'a demo');
		file.addEventListener('change', () => { if (file.files?.[0]) v.onFile(file.files[0]); });
		const open = button('Open a demo', ICON.FILE, () => file.click());
		const back = button('Five seconds back', ICON.BACK, () => v.skip(-5));
		// On a narrow screen, more is a panel above the bar that a button opens.
		this.more = make('div', 'more');
		this.more.id = 'more';
		this.more.append(this.who, this.speed, this.look, copy, open, file, full);
		this.moreButton = button('More', ICON.MORE, () => this.toggleMore());
		this.moreButton.classList.add('opens');
		this.moreButton.setAttribute('aria-controls', this.more.id);
		this.moreButton.setAttribute('aria-expanded', 'false');
		box.prepend(this.play, back, this.live);
		box.append(make('span', 'gap'), this.scores, this.sound, this.more, this.moreButton);
		addEventListener('pointerdown', (e) => {
			if (this.more.classList.contains('open') && e.target instanceof Node && !this.more.contains(e.target) && !this.moreButton.contains(e.target)) this.toggleMore();
		});
		/** @type {import('./controls.js').Keys} */
		this.keys = {
			' ': () => v.clock.toggle(),
			k: () => v.clock.toggle(),
			j: () => v.skip(-5),
			l: () => v.skip(5),
			',': () => this.step(-1),
			'.': () => this.step(1),
			'[': () => v.clock.changeSpeed(-1),
			']': () => v.clock.changeSpeed(1),
			p: () => v.clock.seek(v.timeline.nextMark(v.clock.tick, -1)),
			n: () => v.clock.seek(v.timeline.nextMark(v.clock.tick, 1)),
			home: () => v.clock.seek(v.clock.first),
			end: () => (v.match?.live ? v.clock.goLive() : v.clock.seek(v.clock.last)),
			f: () => v.moment && v.director.followNext(v.moment, 1),
			g: () => v.moment && v.director.followNext(v.moment, -1),
			0: () => this.follow('auto'),
			escape: () => { if (!this.closeMore()) v.director.free(); },
			'+': () => v.director.zoomAt(0.8, v.canvas.width / 2, v.canvas.height / 2),
			'=': () => v.director.zoomAt(0.8, v.canvas.width / 2, v.canvas.height / 2),
			'-': () => v.director.zoomAt(1.25, v.canvas.width / 2, v.canvas.height / 2),
			t: () => this.toggleScores(),
			m: () => { v.minimap.canvas.hidden = !v.minimap.canvas.hidden; },
			h: () => this.toggleTexts(),
			c: () => this.copyLink(),
			b: () => this.toggleSound(),
			v: () => this.toggleLook(),
			'?': () => showHelp(),
		};
	}

	/** @param {import('../match/types.js').Match} match */
	update(match) {
		const clock = this.viewer.clock;
		const label = clock.playing ? 'Pause' : 'Play';
		if (this.play.title !== label) {
			this.play.title = label;
			this.play.setAttribute('aria-label', label);
			setIcon(this.play, clock.playing ? ICON.PAUSE : ICON.PLAY);
		}
		this.live.hidden = !match.live;
		press(this.live, clock.following);
		if (this.speed.value !== String(clock.speed)) this.speed.value = String(clock.speed);
	}

	/** @param {import('../match/types.js').Moment} m */
	updatePlayers(m) {
		let names = '';
		for (const p of m.players) if (p.active && p.team !== TEAM.SPECTATORS) names += `${p.id} ${p.name}\n`;
		if (names !== this.players && document.activeElement !== this.who) {
			this.players = names;
			this.who.replaceChildren(new Option('Automatic', 'auto'), new Option('Free camera', 'free'));
			for (const p of m.players) if (p.active && p.team !== TEAM.SPECTATORS) this.who.append(new Option(p.name || `(${p.id})`, String(p.id)));
		}
		const d = this.viewer.director;
		const value = d.auto ? 'auto' : d.followed < 0 ? 'free' : String(d.followed);
		if (this.who.value !== value) this.who.value = value;
	}

	/** @param {string} who */
	follow(who) {
		const d = this.viewer.director;
		if (who === 'auto') {
			d.free();
			d.auto = true;
		} else if (who === 'free') d.free();
		else d.follow(Number(who));
	}

	/** @param {number} by ticks */
	step(by) {
		const clock = this.viewer.clock;
		clock.seek(Math.round(clock.tick) + by);
		clock.playing = false;
	}

	/** Opens or closes the panel of a narrow screen. */
	toggleMore() {
		const open = this.more.classList.toggle('open');
		this.moreButton.setAttribute('aria-expanded', String(open));
	}

	/** Closes the panel, and reports whether it was open. */
	closeMore() {
		const open = this.more.classList.contains('open');
		if (open) this.toggleMore();
		return open;
	}

	toggleScores() {
		const s = this.viewer.scoreboard;
		s.show(!s.shown);
		press(this.scores, s.shown);
	}

	toggleSound() {
		press(this.sound, this.viewer.sounds.toggle());
	}

	toggleLook() {
		if (!this.look.hidden) press(this.look, this.viewer.toggleLook());
	}

	/** Shows the button that switches the look, if there are two. */
	offerLook() {
		this.look.hidden = !this.viewer.scene.original;
		press(this.look, this.viewer.scene.useImages);
	}

	toggleTexts() {
		const stage = this.viewer.stage;
		const on = stage.toggleAttribute('data-bare');
		for (const e of stage.children) if (e instanceof HTMLElement && !['view', 'status', 'drop', 'help', 'scoreboard'].includes(e.id)) e.style.visibility = on ? 'hidden' : '';
		this.viewer.scene.showNames = !on;
	}

	toggleFullScreen() {
		if (document.fullscreenElement) document.exitFullscreen();
		else document.documentElement.requestFullscreen().catch(() => {});
	}

	copyLink() {
		const link = this.viewer.link();
		history.replaceState(null, '', link);
		navigator.clipboard?.writeText(link).catch(() => {}); // the link is in the address bar in any case
	}
}

/** @param {HTMLElement} b @param {boolean} on */
function press(b, on) {
	if (b.getAttribute('aria-pressed') !== String(on)) b.setAttribute('aria-pressed', String(on));
}

/** Shows the keys with which a match is watched. */
export function showHelp() {
	const dialog = /** @type {HTMLDialogElement} */ (byId('help'));
	if (!dialog.firstChild) {
		const list = make('dl');
		for (const [keys, what] of HELP) list.append(make('dt', '', keys), make('dd', '', what));
		dialog.append(list, make('p', '', 'Drag to move the camera. Zoom with the wheel or two fingers. Click a tee to follow it. Drop a demo on the page to watch it.'));
		const close = make('button', 'main', 'Close');
		close.addEventListener('click', () => dialog.close());
		dialog.append(close);
	}
	if (dialog.open) dialog.close();
	else dialog.showModal();
}
