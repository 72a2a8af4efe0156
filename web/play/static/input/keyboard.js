/**
 * The keyboard.
 *
 * @module
 */

/** @type {Record<string, import('./input.js').Held>} by KeyboardEvent.code */
const HELD = { KeyA: 'left', ArrowLeft: 'left', KeyD: 'right', ArrowRight: 'right', Space: 'jump', KeyW: 'jump', ArrowUp: 'jump' };

export class Keyboard {
	/**
	 * @param {import('./input.js').Input} input
	 * @param {import('../page/settings.js').Settings} _settings
	 */
	constructor(input, _settings) {
		addEventListener('keydown', (e) => {
			if (!input.enabled || e.repeat || e.ctrlKey || e.metaKey || e.target instanceof HTMLInputElement) return;
			if (HELD[e.code]) input.press(HELD[e.code]);
			else if (/^Digit[1-5]$/.test(e.code)) input.choose(Number(e.code[5]) - 1);
			else if (e.code === 'Tab') input.scoreboard = true;
			else return;
			e.preventDefault();
		});
		addEventListener('keyup', (e) => {
			if (HELD[e.code]) input.release(HELD[e.code]);
			if (e.code === 'Tab') input.scoreboard = false;
		});
		addEventListener('blur', () => input.releaseAll());
	}
}
