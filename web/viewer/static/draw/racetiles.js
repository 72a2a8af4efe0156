/**
 * The page's own look of DDRace tiles: freezes, teleporters, speedups, stoppers, switches. A shader
 * draws them, so they are sharp at every zoom and cost no script time.
 *
 * @module
 */

import { compile, makeTexture } from './gl.js';
import { TILE, TILE_FLAG } from './mapfile.js';

/** The fill of a tile. */
const AREA = Object.freeze({ FREEZE: 1, UNFREEZE: 2, DEEP: 3, UNDEEP: 4, LIVE: 5, UNLIVE: 6, START: 7, FINISH: 8, CHECKPOINT: 9, DEATH: 10, TUNE: 11 });

/** The sign in a tile. Signs from TELE_IN to SWITCH_CLOSE have a number. */
const SIGN = Object.freeze({
	TELE_IN: 1, TELE_EVIL: 2, TELE_OUT: 3, TELE_CHECKPOINT: 4, TELE_BACK: 5, SWITCH_OPEN: 6, SWITCH_CLOSE: 7,
	SPEEDUP: 8, STOP_ONE: 9, STOP_TWO: 10, STOP_ALL: 11, STATE_ON: 12, STATE_OFF: 13, REFILL: 14, THROUGH: 15,
});

/** @type {Map<number, number>} */
const AREAS = new Map([
	[9, AREA.FREEZE], [11, AREA.UNFREEZE], [12, AREA.DEEP], [13, AREA.UNDEEP], [144, AREA.LIVE], [145, AREA.UNLIVE],
	[33, AREA.START], [34, AREA.FINISH],
]);
const FIRST_CHECKPOINT = 35, LAST_CHECKPOINT = 59;

/** @type {Map<number, number>} */
const SIGNS = new Map([
	[60, SIGN.STOP_ONE], [61, SIGN.STOP_TWO], [62, SIGN.STOP_ALL], [5, SIGN.THROUGH], [6, SIGN.THROUGH], [66, SIGN.THROUGH], [67, SIGN.THROUGH],
	[16, SIGN.REFILL], [32, SIGN.REFILL],
	...[17, 20, 21, 98, 99, 104, 105, 106, 107, 96, 112, 128].map((t) => /** @type {[number, number]} */ ([t, SIGN.STATE_ON])),
	...[18, 19, 22, 88, 89, 90, 91, 97, 113, 129].map((t) => /** @type {[number, number]} */ ([t, SIGN.STATE_OFF])),
]);
/** @type {Map<number, number>} */
const TELES = new Map([
	[10, SIGN.TELE_EVIL], [26, SIGN.TELE_IN], [27, SIGN.TELE_OUT], [29, SIGN.TELE_CHECKPOINT], [30, SIGN.TELE_OUT], [31, SIGN.TELE_BACK],
	[63, SIGN.TELE_BACK], [14, SIGN.TELE_IN], [15, SIGN.TELE_IN],
]);
/** @type {Map<number, number>} */
const SWITCHES = new Map([[22, SIGN.SWITCH_OPEN], [24, SIGN.SWITCH_OPEN], [23, SIGN.SWITCH_CLOSE], [25, SIGN.SWITCH_CLOSE]]);

const vertexShader = `
uniform vec4 view; // centre and half of the size, in world units
out vec2 world;
void main() {
	vec2 corner = vec2(gl_VertexID & 1, gl_VertexID >> 1) * 2.0 - 1.0;
	world = view.xy + corner * view.zw * vec2(1, -1);
	gl_Position = vec4(corner, 0, 1);
}`;

const fragmentShader = `
in vec2 world;
uniform highp usampler2D marks; // area, sign, number, turn in 1/256
uniform float unit, time;
out vec4 color;
float px;
uvec4 mark(ivec2 p) {
	ivec2 size = textureSize(marks, 0);
	return p.x < 0 || p.y < 0 || p.x >= size.x || p.y >= size.y ? uvec4(0) : texelFetch(marks, p, 0);
}
float segment(vec2 p, vec2 a, vec2 b) {
	vec2 d = b - a;
	return length(p - a - d * clamp(dot(p - a, d) / dot(d, d), 0.0, 1.0));
}
float cover(float d) { return clamp(0.5 - d / px, 0.0, 1.0); }
void paint(vec3 c, float a) { color = vec4(c * a, a) + color * (1.0 - a); }
vec3 hue(float h) { return clamp(abs(fract(h + vec3(0.0, 0.667, 0.333)) * 6.0 - 3.0) - 1.0, 0.0, 1.0) * 0.55 + 0.42; }

// The distance to a digit of seven strokes, 0.5 wide and 1 high around the middle.
float digit(vec2 p, int n) {
	int on = int[](0x3f, 0x06, 0x5b, 0x4f, 0x66, 0x6d, 0x7d, 0x07, 0x7f, 0x6f)[n];
	vec2 tl = vec2(-0.25, -0.5), tr = vec2(0.25, -0.5), ml = vec2(-0.25, 0), mr = vec2(0.25, 0), bl = vec2(-0.25, 0.5), br = vec2(0.25, 0.5);
	float d = 9.0;
	if ((on & 1) != 0) d = min(d, segment(p, tl, tr));
	if ((on & 2) != 0) d = min(d, segment(p, tr, mr));
	if ((on & 4) != 0) d = min(d, segment(p, mr, br));
	if ((on & 8) != 0) d = min(d, segment(p, bl, br));
	if ((on & 16) != 0) d = min(d, segment(p, ml, bl));
	if ((on & 32) != 0) d = min(d, segment(p, tl, ml));
	if ((on & 64) != 0) d = min(d, segment(p, ml, mr));
	return d;
}
float digits(vec2 p, int n, float height) {
	int count = n > 99 ? 3 : n > 9 ? 2 : 1;
	float d = 9.0;
	for (int i = 0; i < 3; i++) {
		if (i >= count) break;
		d = min(d, digit(p / height - vec2(float(count - 1) * 0.4 - 0.8 * float(i), 0), n % 10));
		n /= 10;
	}
	return d * height - 0.035;
}

void main() {
	vec2 p = world / 32.0;
	ivec2 cell = ivec2(floor(p));
	uvec4 m = mark(cell);
	color = vec4(0);
	if (m.r == 0u && m.g == 0u) return;
	px = unit / 32.0;
	vec2 f = fract(p), c = f - 0.5;
	int area = int(m.r), sign = int(m.g), number = int(m.b);
	// The distance to a neighbour with another fill.
	float edge = 1.0;
	if (mark(cell - ivec2(1, 0)).r != m.r) edge = min(edge, f.x);
	if (mark(cell + ivec2(1, 0)).r != m.r) edge = min(edge, 1.0 - f.x);
	if (mark(cell - ivec2(0, 1)).r != m.r) edge = min(edge, f.y);
	if (mark(cell + ivec2(0, 1)).r != m.r) edge = min(edge, 1.0 - f.y);
	float rim = cover(edge - 0.07);

	if (area >= 1 && area <= 6) {
		vec3 tint = vec3[](vec3(0.36, 0.62, 0.86), vec3(1.0, 0.86, 0.45), vec3(0.22, 0.22, 0.62), vec3(0.78, 0.6, 0.95), vec3(0.15, 0.62, 0.6), vec3(0.62, 0.9, 0.7))[area - 1];
		bool cold = (area & 1) == 1;
		// Freezing tiles are thick and glint like ice; unfreezing ones are thin.
		float glint = cold ? smoothstep(0.86, 1.0, sin((p.x + p.y) * 4.2 + sin(p.x * 1.7 - p.y * 2.3)) * 0.5 + 0.5) : 0.0;
		paint(tint + glint * 0.28, cold ? 0.58 : 0.26);
		paint(mix(tint, vec3(1), 0.55), rim * (cold ? 0.8 : 0.5));
	} else if (area == 7 || area == 8) {
		bool dark = (int(floor(p.x * 2.0)) + int(floor(p.y * 2.0)) & 1) == 0;
		paint(area == 7 ? (dark ? vec3(0.12, 0.55, 0.25) : vec3(0.55, 0.95, 0.6)) : (dark ? vec3(0.08) : vec3(0.96)), 0.55);
	} else if (area == 9) {
		paint(vec3(1.0, 0.85, 0.25), 0.16 + 0.4 * rim);
	} else if (area == 10) {
		paint(vec3(0.9, 0.15, 0.15), 0.42 + 0.2 * sin((p.x + p.y) * 12.566) + 0.3 * rim);
	} else if (area == 11) {
		paint(vec3(0.9, 0.75, 1.0), 0.07 + 0.3 * rim);
	}

	// Signs fade out before they flicker.
	float seen = smoothstep(0.3, 0.12, px);
	if (sign == 0 || seen == 0.0) return;
	vec4 below = color;
	color = vec4(0);
	float turn = float(m.a) / 256.0 * 6.2831853;
	vec2 r = mat2(cos(turn), -sin(turn), sin(turn), cos(turn)) * c; // along points to the right
	vec3 own = hue(float(number) * 0.381966);
	if (sign <= 5) { // teleporters
		float ring = length(c) - 0.4;
		if (sign == 2) own = vec3(1.0, 0.35, 0.3);
		if (sign == 3) { paint(own, 0.22); paint(own, 0.9 * cover(abs(max(abs(c.x), abs(c.y)) - 0.44) - 0.035)); }
		else {
			float swirl = 0.5 + 0.5 * sin(atan(c.y, c.x) * 3.0 + length(c) * 14.0 - time * 3.0);
			paint(own * 0.45, 0.75 * cover(ring));
			paint(own, 0.5 * swirl * cover(ring));
			paint(own, cover(abs(ring) - (sign == 1 || sign == 2 ? 0.04 : 0.02)));
		}
	} else if (sign <= 7) { // switches
		own = sign == 6 ? vec3(0.45, 0.95, 0.5) : vec3(1.0, 0.5, 0.35);
		vec2 b = abs(c) - 0.32;
		float box = length(max(b, 0.0)) + min(max(b.x, b.y), 0.0) - 0.1;
		paint(vec3(0.1, 0.11, 0.15), 0.7 * cover(box));
		paint(own, cover(abs(box) - 0.035));
	} else if (sign == 8) { // speedups
		// Two arrows that stay inside the tile at every angle and flash one after the other.
		for (int i = 0; i < 2; i++) {
			float d = abs(r.x + abs(r.y) * 0.7 + 0.08 - 0.28 * float(i)) - 0.07;
			paint(vec3(1.0, 0.95, 0.55), (0.6 + 0.3 * sin(time * 6.0 - 1.6 * float(i))) * cover(max(d, abs(r.y) - 0.28)));
		}
	} else if (sign <= 11) { // stoppers: a bar at each closed side
		vec3 bar = vec3(1.0, 0.45, 0.3);
		float d = 9.0;
		if (sign == 11) d = abs(max(abs(c.x), abs(c.y)) - 0.42) - 0.05;
		else {
			d = max(abs(r.x + (sign == 9 ? 0.38 : 0.0)) - 0.06, abs(r.y) - 0.44);
			if (sign == 9) d = min(d, max(abs(r.x - 0.22 + abs(r.y) * 0.9) - 0.07, abs(r.y) - 0.28));
		}
		paint(bar, 0.85 * cover(d));
	} else if (sign <= 13) { // abilities that a tee gains or loses here
		vec3 badge = sign == 12 ? vec3(0.65, 0.9, 1.0) : vec3(1.0, 0.65, 0.6);
		float d = abs(c.x) + abs(c.y) - 0.3;
		paint(badge, 0.35 * cover(d));
		paint(badge, 0.9 * cover(abs(d) - 0.04));
		if (sign == 13) paint(badge, 0.9 * cover(segment(c, vec2(-0.3, 0.3), vec2(0.3, -0.3)) - 0.04));
	} else if (sign == 14) { // jumps
		float y = abs(fract(c.y * 2.5 + 0.3 - abs(c.x) * 1.6) - 0.5) / 2.5 - 0.06;
		paint(vec3(0.7, 1.0, 0.75), 0.7 * cover(max(y, max(abs(c.x) - 0.26, abs(c.y) - 0.34))));
	} else { // for hooks
		float y = abs(fract(f.y * 4.0) - 0.5) / 4.0 - 0.045;
		paint(vec3(0.9, 0.95, 1.0), 0.35 * cover(max(abs(c.x) - 0.05, y)));
	}
	if (sign <= 7 && number > 0) {
		float d = digits(c, number, number > 99 ? 0.26 : 0.36);
		paint(vec3(0.05, 0.05, 0.08), 0.75 * cover(d - 0.05));
		paint(vec3(1), cover(d));
	}
	color = color * seen + below * (1.0 - color.a * seen);
}`;

export class RaceTiles {
	/** @param {WebGL2RenderingContext} gl */
	constructor(gl) {
		this.gl = gl;
		this.shader = compile(gl, vertexShader, fragmentShader);
		this.empty = gl.createVertexArray();
		this.marks = makeTexture(gl, gl.NEAREST, gl.CLAMP_TO_EDGE);
		/** Whether the map has such tiles. */
		this.any = false;
	}

	/** @param {import('./mapfile.js').MapData} map */
	setMap(map) {
		const gl = this.gl, max = gl.getParameter(gl.MAX_TEXTURE_SIZE);
		const { data, any } = marksOf(map);
		this.any = any && map.game.width <= max && map.game.height <= max;
		if (!this.any) return;
		gl.bindTexture(gl.TEXTURE_2D, this.marks);
		gl.texImage2D(gl.TEXTURE_2D, 0, gl.RGBA8UI, map.game.width, map.game.height, 0, gl.RGBA_INTEGER, gl.UNSIGNED_BYTE, data);
	}

	/**
	 * @param {import('./camera.js').Camera} camera
	 * @param {number} time in seconds
	 */
	draw(camera, time) {
		if (!this.any) return;
		const gl = this.gl, { program, uniforms } = this.shader;
		gl.bindVertexArray(this.empty);
		gl.useProgram(program);
		gl.uniform4f(uniforms.view, camera.x, camera.y, (camera.width * camera.zoom) / 2, (camera.height * camera.zoom) / 2);
		gl.uniform1f(uniforms.unit, camera.unit);
		gl.uniform1f(uniforms.time, time % 1000);
		gl.activeTexture(gl.TEXTURE0);
		gl.bindTexture(gl.TEXTURE_2D, this.marks);
		gl.drawArrays(gl.TRIANGLE_STRIP, 0, 4);
		gl.bindVertexArray(null);
	}
}

/**
 * Computes the area, sign, number and turn for each tile. Only maps with a DDRace layer, or with a
 * start or finish, have any. In other maps the same indices can mean something else.
 * @param {import('./mapfile.js').MapData} map
 */
export function marksOf(map) {
	const { game, race } = map, n = game.width * game.height;
	const starts = () => game.tiles.some((t, i) => i % 4 === 0 && (t === 33 || t === 34));
	if (!race.tele && !race.speedup && !race.front && !race.switch && !race.tune && !starts()) return { data: new Uint8Array(0), any: false };
	const data = new Uint8Array(4 * n);
	let any = false;
	const put = (/** @type {number} */ at, /** @type {number} */ area, /** @type {number} */ sign, number = 0, turn = 0) => {
		const ground = game.tiles[at] === TILE.SOLID || game.tiles[at] === TILE.UNHOOKABLE;
		if (ground) area = 0;
		if (area) data[at] = area;
		if (sign) {
			data[at + 1] = sign;
			data[at + 2] = number;
			data[at + 3] = turn;
		}
		any ||= area > 0 || sign > 0;
	};
	const tile = (/** @type {number} */ at, /** @type {number} */ index, /** @type {number} */ flags) => {
		const area = index >= FIRST_CHECKPOINT && index <= LAST_CHECKPOINT ? AREA.CHECKPOINT : AREAS.get(index) ?? 0;
		put(at, area, SIGNS.get(index) ?? 0, 0, turnOf(flags));
	};
	for (let i = 0, at = 0; i < n; i++, at += 4) {
		if (race.tune?.[2 * i]) put(at, AREA.TUNE, 0);
		tile(at, game.tiles[at], game.tiles[at + 1]);
		if (race.front) {
			if (race.front[at] === TILE.DEATH) put(at, AREA.DEATH, 0);
			tile(at, race.front[at], race.front[at + 1]);
		}
		if (race.speedup?.[6 * i]) {
			const degrees = ((race.speedup[6 * i + 4] | race.speedup[6 * i + 5] << 8) << 16) >> 16;
			put(at, 0, SIGN.SPEEDUP, 0, Math.round(degrees / 360 * 256));
		}
		if (race.switch) {
			const [number, type] = [race.switch[at], race.switch[at + 1]];
			if (number > 0 && SWITCHES.has(type)) put(at, 0, SWITCHES.get(type) ?? 0, number);
			else tile(at, type === 22 ? 0 : type, race.switch[at + 2]);
		}
		if (race.tele) put(at, 0, TELES.get(race.tele[2 * i + 1]) ?? 0, race.tele[2 * i]);
	}
	return { data, any };
}

/**
 * The direction that a stopper leaves open, in 1/256 turn clockwise from the right. Without
 * rotation it is up.
 * @param {number} flags
 */
function turnOf(flags) {
	const quarter = (flags & TILE_FLAG.ROTATE ? 1 : 0) + (flags & TILE_FLAG.FLIP_Y ? 2 : 0);
	return (quarter * 64 + 192) & 255;
}
