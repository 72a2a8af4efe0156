/**
 * The vote that runs.
 *
 * @module
 */

/** The time for which the result is shown, in ms. */
const RESULT = 4000;

export class Poll {
	/** @type {'none' | 'running' | 'ended'} */
	state = 'none';
	what = '';
	reason = '';
	by = '';
	yes = 0;
	no = 0;
	total = 0;
	/** The own choice: 1 for yes, -1 for no, 0 for none. */
	choice = 0;
	result = '';
	#until = 0;

	/**
	 * @param {{ what: string, reason: string, by_name: string, seconds: number }} e
	 * @param {number} now in ms
	 */
	start(e, now) {
		Object.assign(this, { state: 'running', what: e.what, reason: e.reason, by: e.by_name, yes: 0, no: 0, total: 0, choice: 0, result: '' });
		this.#until = now + 1000 * Math.min(Math.max(e.seconds, 0), 3600);
	}

	/** @param {{ yes: number, no: number, total: number }} e */
	count({ yes, no, total }) {
		[this.yes, this.no, this.total] = [yes, no, total];
	}

	/**
	 * @param {{ passed: boolean, aborted: boolean } | null} e null if the result is unknown
	 * @param {number} now
	 */
	end(e, now) {
		if (this.state !== 'running') return;
		this.state = 'ended';
		this.result = !e ? 'The vote has ended.' : e.passed ? 'The vote passed.' : e.aborted ? 'The vote was called off.' : 'The vote failed.';
		this.#until = now + RESULT;
	}

	/** Notes the own choice. It reports whether the server needs it. @param {number} choice */
	choose(choice) {
		if (this.state !== 'running' || this.choice === choice) return false;
		this.choice = choice;
		return true;
	}

	/** The seconds that are left. @param {number} now */
	left(now) {
		return Math.max(0, Math.ceil((this.#until - now) / 1000));
	}

	/** Ends what lasts too long. @param {number} now */
	step(now) {
		if (now < this.#until) return;
		if (this.state === 'running') this.end(null, now);
		else this.state = 'none';
	}

	clear() {
		this.state = 'none';
	}
}
