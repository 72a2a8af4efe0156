/**
 * The screen of the device: full screen, its orientation, and that it does not go dark.
 *
 * @module
 */

/** The keys that a browser leaves to a page in full screen. Escape then opens the menu. */
const LOCKED_KEYS = ['Escape', 'KeyW', 'KeyT', 'KeyN'];

/** Whether the browser can show the page in full screen. An iPhone cannot. */
export function canFullScreen() {
	return document.fullscreenEnabled && 'requestFullscreen' in document.documentElement;
}

/** Shows the page in full screen, or ends that. */
export async function toggleFullScreen() {
	try {
		if (document.fullscreenElement) await document.exitFullscreen();
		else if (canFullScreen()) await document.documentElement.requestFullscreen({ navigationUI: 'hide' });
	} catch {
		// the browser wants a click first, or its user has forbidden it
	}
}

export class Screen {
	/** What keeps the screen bright. @type {{ release(): Promise<void>, released: boolean } | null} */
	#light = null;

	/** @param {import('./game.js').Game} game */
	constructor(game) {
		this.game = game;
		document.addEventListener('fullscreenchange', () => this.#fullScreenChanged());
		document.addEventListener('visibilitychange', () => this.#keepBright());
		for (const type of ['entered', 'ended', 'crash']) game.connection.addEventListener(type, () => this.#keepBright());
		game.keyboard.on('fullscreen', toggleFullScreen);
	}

	/** Turns a phone and takes the keys that browsers give to a page in full screen only. */
	#fullScreenChanged() {
		const full = document.fullscreenElement !== null, orientation = /** @type {any} */ (screen.orientation), keyboard = /** @type {any} */ (navigator).keyboard;
		if (full) {
			orientation?.lock?.('landscape')?.catch?.(() => {}); // desktops and iOS cannot
			keyboard?.lock?.(LOCKED_KEYS)?.catch?.(() => {});
		} else {
			try {
				orientation?.unlock?.();
			} catch {
				// nothing was locked
			}
			keyboard?.unlock?.();
		}
	}

	/** Keeps the screen bright during a match. Browsers end that with each change to another tab. */
	async #keepBright() {
		const wanted = this.game.connection.engine !== null && !document.hidden;
		try {
			if (!wanted) {
				await this.#light?.release();
				this.#light = null;
			} else if (!this.#light || this.#light.released) {
				this.#light = await /** @type {any} */ (navigator).wakeLock?.request('screen') ?? null;
			}
		} catch {
			// a low battery, or a page without HTTPS
		}
	}
}
