/**
 * The actions of a player, and the keys, buttons and wheel steps that they are bound to.
 *
 * A code is KeyboardEvent.code of a key, such as KeyA, or one of ours: Mouse0 to Mouse4 (by
 * MouseEvent.button), WheelUp, WheelDown, and Pad0 to Pad16 (the buttons of a standard gamepad).
 *
 * @module
 */

/**
 * An action of the player.
 * @typedef {object} Action
 * @property {string} name
 * @property {string} label
 * @property {string[]} codes the default codes: those of 0.7.5 and DDNet, and W
 */

/** @type {(name: string, label: string, ...codes: string[]) => Action} */
const action = (name, label, ...codes) => ({ name, label, codes });

/** The actions by group. */
export const GROUPS = Object.freeze({
	Movement: [
		action('left', 'Move left', 'KeyA', 'ArrowLeft', 'Pad14'),
		action('right', 'Move right', 'KeyD', 'ArrowRight', 'Pad15'),
		action('jump', 'Jump', 'Space', 'KeyW', 'ArrowUp', 'Pad0'),
		action('hook', 'Hook', 'Mouse2', 'Pad6'),
		action('fire', 'Fire', 'Mouse0', 'Pad7'),
	],
	Weapons: [
		action('weapon1', 'Hammer', 'Digit1'),
		action('weapon2', 'Pistol', 'Digit2'),
		action('weapon3', 'Shotgun', 'Digit3'),
		action('weapon4', 'Grenade launcher', 'Digit4'),
		action('weapon5', 'Laser rifle', 'Digit5'),
		action('prev_weapon', 'Previous weapon', 'WheelUp', 'BracketLeft', 'Pad4'),
		action('next_weapon', 'Next weapon', 'WheelDown', 'BracketRight', 'Pad5'),
	],
	Chat: [
		action('chat', 'Chat', 'KeyT', 'Enter'),
		action('chat_team', 'Team chat', 'KeyY'),
		action('chat_whisper', 'Whisper', 'KeyX'),
		action('chat_command', 'Chat command', 'Slash'),
		action('show_chat', 'Show the chat', 'KeyU'),
		action('emote', 'Emoticons', 'ShiftLeft', 'KeyE', 'KeyQ', 'Pad3'),
	],
	Match: [
		action('scoreboard', 'Scoreboard', 'Tab', 'Pad8'),
		action('vote_yes', 'Vote yes', 'F3', 'Pad12'),
		action('vote_no', 'Vote no', 'F4', 'Pad13'),
		action('call_vote', 'Call a vote', 'KeyV'),
		action('players', 'Players', 'KeyO'),
		action('team', 'Teams', 'KeyG'),
		action('ready', 'Ready', 'KeyR'),
		action('kill', 'Kill yourself', 'KeyK'),
		action('pause', 'Pause (DDRace)', 'KeyP', 'Pause'),
	],
	Watching: [
		action('spectate', 'Choose a player', 'ShiftRight', 'Mouse1', 'Pad2'),
		action('spectate_previous', 'Previous player', 'Minus', 'Mouse3'),
		action('spectate_next', 'Next player', 'Equal', 'Mouse4', 'Pad1'),
		action('zoom_in', 'Zoom in', 'NumpadAdd'),
		action('zoom_out', 'Zoom out', 'NumpadSubtract'),
		action('zoom_reset', 'Normal zoom', 'NumpadMultiply'),
	],
	Page: [
		action('menu', 'Menu', 'Pad9'),
		action('help', 'Keys', 'F1'),
		action('rcon', 'Remote console', 'F2', 'Backquote'),
		action('fullscreen', 'Full screen', 'F11'),
	],
});

/** All actions by name. @type {Record<string, Action>} */
export const ACTIONS = Object.freeze(Object.fromEntries(Object.values(GROUPS).flat().map((a) => [a.name, a])));

/** A code, also in settings that somebody has edited. Escape always belongs to the menu. */
const CODE = /^(?!Escape$)[A-Z][A-Za-z0-9]{0,31}$/;

/** The largest number of codes of an action. */
const MAX_CODES = 8;

export class Bindings {
	/** @param {{ get(name: 'keys'): Record<string, string[]>, set(name: 'keys', value: Record<string, string[]>): void }} settings */
	constructor(settings) {
		this.settings = settings;
	}

	/** The action of each code. What the player has bound comes before the defaults. */
	#byCode() {
		const own = this.settings.get('keys');
		/** @type {Map<string, string>} */
		const all = new Map();
		for (const wanted of [true, false]) {
			for (const [name, { codes }] of Object.entries(ACTIONS)) {
				const set = Array.isArray(own[name]);
				if (set !== wanted) continue;
				for (const code of set ? own[name].slice(0, MAX_CODES) : codes) {
					if (typeof code === 'string' && CODE.test(code) && !all.has(code)) all.set(code, name);
				}
			}
		}
		return all;
	}

	/** Returns the action of a code, undefined for none. @param {string} code */
	action(code) {
		return this.#byCode().get(code);
	}

	/** Returns the codes of an action. @param {string} name */
	codes(name) {
		return [...this.#byCode()].filter(([, n]) => n === name).map(([code]) => code);
	}

	/**
	 * Binds a code to an action. It returns the action that has lost the code, undefined for none.
	 * @param {string} name
	 * @param {string} code
	 */
	bind(name, code) {
		const before = this.action(code);
		if (!CODE.test(code) || before === name) return undefined;
		const keys = { ...this.settings.get('keys') };
		if (before) keys[before] = this.codes(before).filter((c) => c !== code);
		keys[name] = [...this.codes(name), code].slice(-MAX_CODES);
		this.settings.set('keys', keys);
		return before;
	}

	/** Frees a code. @param {string} code */
	free(code) {
		const name = this.action(code);
		if (name) this.settings.set('keys', { ...this.settings.get('keys'), [name]: this.codes(name).filter((c) => c !== code) });
	}

	/** Binds everything as it was at first. */
	reset() {
		this.settings.set('keys', {});
	}

	/** Whether the player has changed something. */
	get changed() {
		return Object.keys(this.settings.get('keys')).some((name) => ACTIONS[name]);
	}
}
