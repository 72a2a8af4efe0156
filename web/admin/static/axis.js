// The vertical axis of a graph: it follows the values, in steps that are easy to read.

/** The number of intervals that an axis has at most. */
const INTERVALS = 4;

/** Factors of a power of ten that make good steps. */
const FACTORS = [1, 2, 5, 10];

/**
 * @typedef {object} Axis
 * @property {number} top its upper end
 * @property {number} step between two lines
 * @property {number[]} values of the lines, from 0 to top
 */

/**
 * Makes an axis from 0 for values up to a maximum.
 * @param {number} max
 * @param {number} [least] its upper end is at least this, so that noise does not look like a peak
 * @param {number} [smallest] the smallest step, such as 1 for whole numbers
 * @returns {Axis}
 */
export function makeAxis(max, least = 0, smallest = 0) {
	const end = Math.max(Number.isFinite(max) ? max : 0, least) || 1;
	const rough = end / INTERVALS;
	const power = 10 ** Math.floor(Math.log10(rough));
	const factor = FACTORS.find((f) => f * power >= rough * (1 - 1e-9)) ?? 10;
	const step = Math.max(factor * power, smallest);
	const count = Math.max(Math.ceil(end / step - 1e-9), 1);
	const values = Array.from({ length: count + 1 }, (_, i) => Number((i * step).toPrecision(12)));
	return { top: values[count], step, values };
}

/** Units of data, from the largest, by their size in bytes. @type {[number, string][]} */
const DATA = [[1e9, 'GB/s'], [1e6, 'MB/s'], [1e3, 'kB/s'], [1, 'B/s']];

/** Units of time, from the largest, by their size in ms. @type {[number, string][]} */
const TIME = [[1e3, 's'], [1, 'ms']];

/** Units of numbers of things. @type {[number, string][]} */
const NUMBER = [[1, '']];

/** The kinds of values that graphs show. */
export const UNITS = Object.freeze({ DATA, TIME, NUMBER });

/**
 * A text for each line of an axis, in one unit, with as many decimals as the step needs.
 * @param {Axis} axis
 * @param {[number, string][]} units
 * @returns {string[]}
 */
export function axisTexts({ top, step, values }, units) {
	const [size, unit] = unitOf(top, units);
	const decimals = Math.max(0, -Math.floor(Math.log10(step / size) + 1e-9));
	return values.map((v) => v === 0 ? '0' : `${(v / size).toFixed(decimals)} ${unit}`.trimEnd());
}

/**
 * A value with its unit and three digits that matter.
 * @param {number} value
 * @param {[number, string][]} units
 */
export function valueText(value, units) {
	const [size, unit] = unitOf(value, units);
	const n = value / size;
	return `${units === NUMBER ? Math.round(n) : n < 10 ? n.toFixed(2) : n < 100 ? n.toFixed(1) : Math.round(n)} ${unit}`.trimEnd();
}

/**
 * @param {number} value
 * @param {[number, string][]} units
 */
function unitOf(value, units) {
	return units.find(([size]) => value >= size) ?? units[units.length - 1];
}
