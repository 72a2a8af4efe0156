/**
 * How the colours and positions of layers change with time.
 *
 * @module
 */

/** The curves between points. */
const CURVE = Object.freeze({ STEP: 0, LINEAR: 1, SLOW: 2, FAST: 3, SMOOTH: 4, BEZIER: 5 });

/**
 * Computes the values of an envelope.
 * @param {import('./mapfile.js').Envelope} envelope
 * @param {number} seconds since it began
 * @param {Float32Array} out four values
 */
export function evaluate(envelope, seconds, out) {
	const points = envelope.points;
	const n = points.length;
	out.fill(0);
	if (n === 0) return;
	const end = points[n - 1].time;
	const t = n === 1 || end <= 0 ? 0 : (seconds * 1000) % end;
	let [i, last] = [0, n - 1];
	while (i < last) { // to the first point whose next one is not before t
		const middle = (i + last) >> 1;
		if (points[middle + 1].time >= t) last = middle;
		else i = middle + 1;
	}
	if (i < n - 1 && t >= points[i].time) {
		const a = points[i];
		const b = points[i + 1];
		let k = b.time > a.time ? (t - a.time) / (b.time - a.time) : 0;
		if (a.curve === CURVE.BEZIER && a.tangents.length && b.tangents.length) {
			for (let c = 0; c < 4; c++) out[c] = bezier(a, b, c, t) / 1024;
			return;
		}
		if (a.curve === CURVE.STEP) k = 0;
		else if (a.curve === CURVE.SLOW) k = k * k * k;
		else if (a.curve === CURVE.FAST) k = 1 - (1 - k) ** 3;
		else if (a.curve === CURVE.SMOOTH) k = k * k * (3 - 2 * k);
		for (let c = 0; c < 4; c++) out[c] = (a.values[c] + (b.values[c] - a.values[c]) * k) / 1024;
		return;
	}
	for (let c = 0; c < 4; c++) out[c] = points[n - 1].values[c] / 1024;
}

/**
 * The value of a channel between two points whose tangents are Bézier handles.
 * @param {import('./mapfile.js').EnvPoint} a @param {import('./mapfile.js').EnvPoint} b @param {number} c channel @param {number} t in ms
 */
function bezier(a, b, c, t) {
	const clamp = (/** @type {number} */ v) => Math.min(Math.max(v, a.time), b.time);
	const x1 = clamp(a.time + a.tangents[8 + c]);
	const x2 = clamp(b.time + b.tangents[c]);
	const y1 = a.values[c] + a.tangents[12 + c];
	const y2 = b.values[c] + b.tangents[4 + c];
	const at = (/** @type {number} */ p0, /** @type {number} */ p1, /** @type {number} */ p2, /** @type {number} */ p3, /** @type {number} */ k) => {
		const m = 1 - k;
		return m * m * m * p0 + 3 * m * m * k * p1 + 3 * m * k * k * p2 + k * k * k * p3;
	};
	// Time only grows along the curve, so bisection finds the place.
	let [low, high] = [0, 1];
	for (let i = 0; i < 20; i++) {
		const k = (low + high) / 2;
		if (at(a.time, x1, x2, b.time, k) < t) low = k;
		else high = k;
	}
	return at(a.values[c], y1, y2, b.values[c], low);
}
