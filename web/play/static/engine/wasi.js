/**
 * The part of WASI that a compiled Go program needs here: time, random bytes, and a log for the
 * text of a crash. It has no files.
 *
 * @module
 */

/** WASI's numbers of errors. */
const OK = 0, BAD_FILE = 8, NO_SUCH_THING = 52;

/** An error that ends the program, such as a panic of Go. */
export class Exit extends Error {}

/**
 * Returns the imports for WebAssembly.instantiate.
 * @param {() => WebAssembly.Memory} memory the memory of the program, once it exists
 * @param {(line: string) => void} log called with each line that the program prints
 */
export function wasi(memory, log) {
	const view = () => new DataView(memory().buffer);
	let printed = '';
	/** @type {Record<string, (...args: any[]) => number>} */
	const functions = {
		args_sizes_get: noStrings, environ_sizes_get: noStrings,
		args_get: () => OK, environ_get: () => OK, sched_yield: () => OK,
		clock_time_get: (/** @type {number} */ clock, /** @type {bigint} */ _precision, /** @type {number} */ at) => {
			const ms = clock === 0 ? Date.now() : performance.now();
			view().setBigUint64(at, BigInt(Math.round(ms * 1e6)), true);
			return OK;
		},
		random_get: (/** @type {number} */ at, /** @type {number} */ n) => {
			const bytes = new Uint8Array(n);
			for (let i = 0; i < n; i += 65_536) crypto.getRandomValues(bytes.subarray(i, i + 65_536));
			new Uint8Array(memory().buffer, at, n).set(bytes);
			return OK;
		},
		fd_write: (/** @type {number} */ _file, /** @type {number} */ parts, /** @type {number} */ n, /** @type {number} */ written) => {
			const v = view();
			let sum = 0;
			for (let i = 0; i < n; i++) {
				const at = v.getUint32(parts + 8 * i, true), length = v.getUint32(parts + 8 * i + 4, true);
				printed += new TextDecoder().decode(new Uint8Array(memory().buffer, at, length));
				sum += length;
			}
			v.setUint32(written, sum, true);
			const lines = printed.split('\n');
			printed = lines.pop() ?? '';
			for (const line of lines) log(line);
			return OK;
		},
		// The program waits only for timers of its runtime, which come again with the next call.
		poll_oneoff: (/** @type {number} */ _in, /** @type {number} */ _out, /** @type {number} */ _n, /** @type {number} */ events) => {
			view().setUint32(events, 0, true);
			return OK;
		},
		proc_exit: (/** @type {number} */ code) => { throw new Exit(`the program ended with code ${code}`); },
		fd_prestat_get: () => BAD_FILE, fd_close: () => BAD_FILE, fd_read: () => BAD_FILE, fd_fdstat_get: () => BAD_FILE,
	};
	function noStrings(/** @type {number} */ count, /** @type {number} */ size) {
		view().setUint32(count, 0, true);
		view().setUint32(size, 0, true);
		return OK;
	}
	return { wasi_snapshot_preview1: new Proxy(functions, { get: (all, name) => all[/** @type {string} */ (name)] ?? (() => NO_SUCH_THING) }) };
}
