/**
 * Downloads of any length. A download fails only if the connection stalls, however long it takes.
 * @module
 */

/** How long a download may stall, in ms. */
export const IDLE = 15_000;

/** The server does not have the file. */
export class NotThere extends Error {}

/** The download failed in a way that another attempt may fix. */
export class Interrupted extends Error {}

/**
 * @typedef {object} Options
 * @property {RequestCache} [cache]
 * @property {number} [idle] ms without a byte after which the download fails; default IDLE
 * @property {(received: number, total: number) => void} [progress] called as bytes arrive; total is
 *   0 if the server does not tell it
 */

/** A file that is downloaded in one or several attempts. Each resumes where the last one ended. */
export class Download {
	/**
	 * @param {string} url
	 * @param {Options} [options]
	 */
	constructor(url, options = {}) {
		this.url = url;
		this.options = options;
		/** @type {Uint8Array[]} */
		this.parts = [];
		this.received = 0;
		/** Whether the server can send only the rest of the file. */
		this.continues = false;
	}

	/**
	 * Downloads the file, or the rest of it. It throws NotThere, Interrupted, or an Error with the
	 * server's status.
	 * @returns {Promise<Uint8Array>}
	 */
	async load() {
		const { cache = 'default', idle = IDLE, progress } = this.options;
		const stop = new AbortController();
		/** @type {ReturnType<typeof setTimeout> | undefined} */
		let timer;
		const wait = () => {
			clearTimeout(timer);
			timer = setTimeout(() => stop.abort(new Interrupted(`no data for ${Math.round(idle / 1000)} s`)), idle);
		};
		if (!this.continues) this.#restart();
		wait();
		try {
			/** @type {Record<string, string>} */
			const headers = this.received > 0 ? { Range: `bytes=${this.received}-` } : {};
			const r = await fetch(this.url, { cache, headers, signal: stop.signal });
			if (r.status === 404) throw new NotThere('the server does not have the file');
			if (r.status === 416 && this.received > 0) {
				this.#restart();
				throw new Interrupted('the file on the server has changed');
			}
			if (r.status >= 500 || r.status === 429) throw new Interrupted(`the server answered with status ${r.status}`);
			if (!r.ok) throw new Error(`the server answered with status ${r.status}`);
			if (r.status !== 206) this.#restart();
			this.continues = r.headers.get('Accept-Ranges') === 'bytes' && !r.headers.has('Content-Encoding');
			const length = r.headers.has('Content-Encoding') ? 0 : Number(r.headers.get('Content-Length') ?? 0);
			const total = length > 0 ? this.received + length : 0;
			const reader = /** @type {ReadableStream<Uint8Array>} */ (r.body).getReader();
			for (;;) {
				const { done, value } = await reader.read();
				if (done) break;
				wait();
				this.parts.push(value);
				this.received += value.length;
				progress?.(this.received, total);
			}
			if (total > 0 && this.received < total) throw new Interrupted('the connection ended');
		} catch (err) {
			if (stop.signal.aborted) throw stop.signal.reason;
			// Browsers throw a TypeError when a connection fails or breaks.
			throw err instanceof TypeError ? new Interrupted('the server does not answer') : err;
		} finally {
			clearTimeout(timer);
		}
		const all = new Uint8Array(this.received);
		let at = 0;
		for (const part of this.parts) {
			all.set(part, at);
			at += part.length;
		}
		this.#restart();
		return all;
	}

	#restart() {
		this.parts = [];
		this.received = 0;
		this.continues = false;
	}
}

/**
 * Formats the progress of a file.
 * @param {number} received bytes
 * @param {number} total bytes, 0 if not known
 */
export function progressText(received, total) {
	const small = Math.max(received, total) < 1e6, unit = small ? 'kB' : 'MB';
	const text = (/** @type {number} */ n) => (small ? Math.ceil(n / 1e3) : (n / 1e6).toFixed(1));
	return total > received ? `${text(received)} of ${text(total)} ${unit}` : `${text(received)} ${unit}`;
}
