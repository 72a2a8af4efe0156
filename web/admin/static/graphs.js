import { get } from './api.js';
import { bytes, el } from './dom.js';

/**
 * @typedef {object} Chart
 * @property {string} title
 * @property {(s: any) => number} value
 * @property {((s: any) => number)} [second] a fainter line
 * @property {(n: number) => string} text
 * @property {string} note
 */

/** @type {Chart[]} */
const charts = [
	{ title: 'Tick', value: (s) => s.tick, second: (s) => s.tick_max, text: (n) => n.toFixed(2) + ' ms', note: 'mean and maximum (fainter); a tick may take 20 ms' },
	{ title: 'Players', value: (s) => s.players, second: (s) => s.players + s.bots, text: (n) => String(Math.round(n)), note: 'with bots (fainter)' },
	{ title: 'Sent', value: (s) => s.sent, text: (n) => bytes(n) + '/s', note: 'UDP, without headers' },
	{ title: 'Received', value: (s) => s.received, text: (n) => bytes(n) + '/s', note: 'UDP, without headers' },
];

/** @returns {import('./main.js').Panel} */
export function graphsPanel() {
	let step = 1;
	let visible = false;
	/** @type {any[]} */
	let samples = [];
	const views = charts.map((c) => {
		const canvas = /** @type {HTMLCanvasElement} */ (el('canvas', { class: 'chart', role: 'img' }));
		const figure = el('p', { class: 'figure' });
		return { c, canvas, figure, card: el('div', { class: 'card' }, el('h2', {}, c.title), figure, canvas, el('p', { class: 'hint' }, c.note)) };
	});

	function draw() {
		const style = getComputedStyle(document.documentElement);
		for (const { c, canvas, figure } of views) {
			const values = samples.map(c.value);
			const seconds = c.second ? samples.map(c.second) : [];
			const top = Math.max(...values, ...seconds, 1e-9) * 1.1;
			const last = values.length ? values[values.length - 1] : 0;
			figure.textContent = c.text(last);
			canvas.setAttribute('aria-label', `${c.title}: now ${c.text(last)}, maximum ${c.text(Math.max(...values, 0))}`);
			const ratio = window.devicePixelRatio || 1;
			const w = canvas.clientWidth, h = canvas.clientHeight;
			canvas.width = w * ratio;
			canvas.height = h * ratio;
			const g = canvas.getContext('2d');
			if (!g) continue;
			g.scale(ratio, ratio);
			g.font = '11px system-ui, sans-serif';
			g.fillStyle = style.getPropertyValue('--dim');
			g.strokeStyle = style.getPropertyValue('--line');
			for (const part of [0.5, 1]) {
				const y = h - h * part / 1.1;
				g.beginPath();
				g.moveTo(0, y);
				g.lineTo(w, y);
				g.stroke();
				g.fillText(c.text(top / 1.1 * part), 2, y - 3);
			}
			const line = (/** @type {number[]} */ list, /** @type {string} */ colour, /** @type {number} */ alpha) => {
				if (list.length < 2) return;
				g.globalAlpha = alpha;
				g.strokeStyle = colour;
				g.lineWidth = 1.5;
				g.beginPath();
				list.forEach((v, i) => g.lineTo(w * (1 - (list.length - 1 - i) / Math.max(maxOf(step) - 1, 1)), h - h * v / top));
				g.stroke();
				g.globalAlpha = 1;
			};
			line(seconds, style.getPropertyValue('--accent'), 0.35);
			line(values, style.getPropertyValue('--accent'), 1);
		}
	}

	async function show() {
		visible = true;
		try {
			samples = (await get('/samples?step=' + step)).samples;
		} catch {
			samples = [];
		}
		draw();
	}
	new ResizeObserver(() => { if (visible) draw(); }).observe(views[0].canvas);

	const times = el('select', { 'aria-label': 'Time', oninput: (/** @type {Event} */ e) => { step = Number(/** @type {HTMLSelectElement} */ (e.target).value); show(); } },
		el('option', { value: '1' }, 'the last ten minutes'), el('option', { value: '60' }, 'the last day'));
	return {
		id: 'graphs', title: 'Graphs',
		element: el('section', {}, el('div', { class: 'bar' }, times), el('div', { class: 'cards' }, ...views.map((v) => v.card))),
		show, hide: () => { visible = false; },
		sample: (s) => {
			if (!visible || step !== 1) return;
			samples.push(s);
			if (samples.length > maxOf(1)) samples.shift();
			draw();
		},
	};
}

/** @param {number} step */
const maxOf = (step) => step === 1 ? 600 : 1440;
