/**
 * Loads the program of the client, and reports the progress.
 *
 * @module
 */

export class Program {
	/** @param {string} url */
	constructor(url) {
		this.url = url;
		/** How much of it is loaded, from 0 to 1. It is 1 when it can run. */
		this.progress = 0;
		/** Why it cannot be loaded; empty for none. */
		this.problem = '';
		/** Called when the progress or the problem changes. */
		this.onchange = () => {};
		/** The compiled program. @type {Promise<WebAssembly.Module>} */
		this.module = this.load();
	}

	/** Loads it again after a problem. */
	load() {
		this.progress = 0;
		this.problem = '';
		this.module = this.#compile();
		this.module.then(() => { this.progress = 1; }, (err) => { this.problem = err instanceof Error ? err.message : String(err); }).then(() => this.onchange());
		return this.module;
	}

	async #compile() {
		const r = await fetch(this.url);
		if (!r.ok) throw new Error(`the server answers with status ${r.status}`);
		const total = Number(r.headers.get('X-Uncompressed-Length')); // the browser counts unpacked bytes
		if (!r.body || !total) return WebAssembly.compileStreaming(r);
		let received = 0;
		const counted = r.body.pipeThrough(new TransformStream({
			transform: (chunk, controller) => {
				received += chunk.length;
				this.progress = Math.min(0.99, received / total);
				this.onchange();
				controller.enqueue(chunk);
			},
		}));
		return WebAssembly.compileStreaming(new Response(counted, { headers: { 'Content-Type': 'application/wasm' } }));
	}
}
