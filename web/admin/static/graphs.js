import { get } from './api.js';
import { UNITS, axisTexts, makeAxis, valueText } from './axis.js';
import { el, span as timeSpan } from './dom.js';

/**
 * @typedef {object} Chart
 * @property {string} title
 * @property {string} first what the first line shows
 * @property {(s: any) => number} value
 * @property {string} [second] what the second line shows
 * @property {(s: any) => number} [more]
 * @property {[number, string][]} units
 * @property {number} least the least upper end of the axis
 * @property {number} [step] the smallest step of the axis
 * @property {number} [limit] a value that is marked
 */

/** @type {Chart[]} */
const charts = [
	{ title: 'Tick', first: 'mean', value: (s) => s.tick, second: 'longest', more: (s) => s.tick_max, units: UNITS.TIME, least: 1, limit: 20 },
	{ title: 'Players', first: 'players', value: (s) => s.players, second: 'with bots', more: (s) => s.players + s.bots, units: UNITS.NUMBER, least: 4, step: 1 },
	{ title: 'Sent', first: 'UDP, without headers', value: (s) => s.sent, units: UNITS.DATA, least: 1000 },
	{ title: 'Received', first: 'UDP, without headers', value: (s) => s.received, units: UNITS.DATA, least: 1000 },
];

/** The times that graphs can show: seconds between samples, their number, and texts. */
const SPANS = [
	{ step: 1, samples: 600, name: 'the last ten minutes' },
	{ step: 60, samples: 1440, name: 'the last day' },
];

/** @returns {import('./main.js').Panel} */
export function graphsPanel() {
	let span = SPANS[0];
	let visible = false;
	/** @type {any[]} */
	let samples = [];
	const views = charts.map(makeView);

	function draw() {
		for (const v of views) drawView(v, samples, span);
	}

	async function show() {
		visible = true;
		try {
			samples = (await get('/samples?step=' + span.step)).samples;
		} catch {
			samples = [];
		}
		draw();
	}
	const resized = new ResizeObserver(() => { if (visible) draw(); });
	for (const v of views) resized.observe(v.canvas);

	const times = el('select', { 'aria-label': 'Time', oninput: (/** @type {Event} */ e) => { span = SPANS[Number(/** @type {HTMLSelectElement} */ (e.target).value)]; show(); } },
		...SPANS.map((s, i) => el('option', { value: String(i) }, s.name)));
	return {
		id: 'graphs', title: 'Graphs',
		element: el('section', { class: 'fill' }, el('div', { class: 'bar' }, times), el('div', { class: 'charts' }, ...views.map((v) => v.card))),
		show, hide: () => { visible = false; },
		sample: (s) => {
			if (!visible || span.step !== 1) return;
			samples.push(s);
			if (samples.length > span.samples) samples.shift();
			draw();
		},
	};
}

/** @param {Chart} c */
function makeView(c) {
	const canvas = /** @type {HTMLCanvasElement} */ (el('canvas', { class: 'chart', role: 'img' }));
	const figure = el('p', { class: 'figure' }), most = el('span');
	const key = (/** @type {string} */ kind, /** @type {string} */ text) => el('span', {}, el('span', { class: 'key ' + kind }), text);
	const card = el('div', { class: 'card' },
		el('div', { class: 'top' }, el('h2', {}, c.title), figure,
			el('p', { class: 'hint' }, key('', c.first), c.second && key('second', c.second), c.limit && key('limit', `limit ${valueText(c.limit, c.units).replace('.0', '')}`), most)),
		el('div', { class: 'plot' }, canvas));
	return { c, canvas, figure, most, card };
}

/** The least number of samples for which the axis of time has room. */
const LEAST_SAMPLES = 60;

/** The space for the texts of the axes, in pixels. */
const LEFT = 62, BOTTOM = 20, TOP = 8;

/**
 * @param {ReturnType<typeof makeView>} view
 * @param {any[]} samples
 * @param {typeof SPANS[0]} span
 */
function drawView({ c, canvas, figure, most }, samples, span) {
	const values = samples.map(c.value), more = c.more ? samples.map(c.more) : [];
	const max = Math.max(0, ...values, ...more), last = values.at(-1) ?? 0;
	figure.textContent = valueText(last, c.units);
	most.textContent = `maximum ${valueText(max, c.units)}`;
	canvas.setAttribute('aria-label', `${c.title}, ${span.name}: now ${valueText(last, c.units)}, maximum ${valueText(max, c.units)}`);
	const ratio = window.devicePixelRatio || 1, w = canvas.clientWidth, h = canvas.clientHeight;
	canvas.width = w * ratio;
	canvas.height = h * ratio;
	const g = canvas.getContext('2d');
	if (!g || w <= LEFT || h <= BOTTOM + TOP) return;
	const style = getComputedStyle(document.documentElement);
	const color = (/** @type {string} */ name) => style.getPropertyValue('--' + name);
	const axis = makeAxis(max, c.least, c.step), texts = axisTexts(axis, c.units);
	const wide = Math.min(Math.max(samples.length, LEAST_SAMPLES), span.samples) - 1;
	const x = (/** @type {number} */ ago) => w - (w - LEFT) * ago / wide;
	const y = (/** @type {number} */ v) => h - BOTTOM - (h - BOTTOM - TOP) * v / axis.top;
	g.scale(ratio, ratio);
	g.font = `${0.8 * parseFloat(style.fontSize)}px ${style.fontFamily}`;
	g.fillStyle = color('dim');
	g.strokeStyle = color('raised');
	g.textAlign = 'right';
	g.textBaseline = 'middle';
	axis.values.forEach((v, i) => {
		stroke(g, [[LEFT, y(v)], [w, y(v)]]);
		g.fillText(texts[i], LEFT - 8, y(v));
	});
	g.textBaseline = 'bottom';
	for (const [part, align] of /** @type {[number, CanvasTextAlign][]} */ ([[0, 'left'], [0.5, 'center'], [1, 'right']])) {
		g.textAlign = align;
		g.fillText(part === 1 ? 'now' : `${timeSpan((1 - part) * (wide + 1) * span.step)} ago`, LEFT + (w - LEFT) * part, h);
	}
	const line = (/** @type {number[]} */ list, /** @type {string} */ name) => {
		g.strokeStyle = color(name);
		g.lineWidth = 1.5;
		stroke(g, list.map((v, i) => [x(list.length - 1 - i), y(v)]));
	};
	line(more, 'blue');
	line(values, 'accent');
	if (c.limit) drawLimit(g, c.limit > axis.top ? TOP - 6 : y(c.limit), w, color('red'), c.limit > axis.top ? `${valueText(c.limit, c.units).replace('.0', '')} is above` : '');
}

/**
 * Draws the line of a limit. If the limit is above the axis, the line is at the upper edge and a
 * text says so.
 * @param {CanvasRenderingContext2D} g
 * @param {number} y
 * @param {number} w
 * @param {string} color
 * @param {string} text
 */
function drawLimit(g, y, w, color, text) {
	g.strokeStyle = g.fillStyle = color;
	g.setLineDash([6, 5]);
	stroke(g, [[LEFT, y], [w, y]]);
	g.setLineDash([]);
	g.textAlign = 'right';
	g.textBaseline = 'top';
	g.fillText(text, w, y + 4);
}

/**
 * @param {CanvasRenderingContext2D} g
 * @param {number[][]} points
 */
function stroke(g, points) {
	g.beginPath();
	for (const [x, y] of points) g.lineTo(x, y);
	g.stroke();
}
