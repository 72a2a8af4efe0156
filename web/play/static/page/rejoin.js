/**
 * Joining again after a lost connection: when, and how often.
 *
 * @module
 */

/** The times until each further attempt, in s. */
const WAITS = [2, 3, 5, 5, 10, 10, 15];

/** After this time in ms without success the player has to ask for the next attempt. */
const GIVE_UP = 5 * 60_000;

/** A match that has lasted for this time in ms ends a series of attempts. */
const SETTLED = 20_000;

export class Rejoin {
	/**
	 * @param {() => void} join joins
	 * @param {() => Promise<boolean>} answers reports whether the server answers
	 */
	constructor(join, answers) {
		this.join = join;
		this.answers = answers;
		/** Called with the seconds until the next attempt, and with -1 while one runs. */
		this.oncount = (/** @type {number} */ _seconds) => {};
		this.attempts = 0;
		this.since = 0;
		this.at = 0;
		this.timer = 0;
	}

	/** Whether an attempt is due or runs. */
	get active() {
		return this.attempts > 0;
	}

	/** Plans the next attempt, and reports whether there is one. */
	plan() {
		const now = performance.now();
		if (this.attempts === 0) this.since = now;
		else if (now - this.since > GIVE_UP) {
			this.cancel();
			return false;
		}
		this.at = now + 1000 * WAITS[Math.min(this.attempts++, WAITS.length - 1)];
		this.#count();
		return true;
	}

	/** Counts down, and makes the attempt. */
	#count() {
		clearTimeout(this.timer);
		const left = Math.ceil((this.at - performance.now()) / 1000);
		if (left > 0) {
			this.oncount(left);
			this.timer = setTimeout(() => this.#count(), 200);
		} else this.#attempt();
	}

	async #attempt() {
		this.oncount(-1);
		const { attempts } = this, there = await this.answers();
		if (attempts !== this.attempts) return; // cancelled
		if (there) this.join();
		else this.plan();
	}

	/** Ends the series when the match has lasted for some time, so that the next one starts anew. */
	entered() {
		clearTimeout(this.timer);
		this.timer = setTimeout(() => { this.attempts = 0; }, SETTLED);
	}

	/** Makes no further attempt. */
	cancel() {
		clearTimeout(this.timer);
		this.attempts = 0;
	}
}
