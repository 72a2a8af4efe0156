/**
 * The page's own look of maps. A shader draws it from the game layer alone. It computes the
 * distance of every point to the edges of the ground, so the result is sharp at every zoom.
 *
 * @module
 */

import { compile, makeTexture } from './gl.js';
import { TILE } from './mapfile.js';

const vertexShader = `
uniform vec4 view; // centre and half of the size, in world units
out vec2 world;
void main() {
	vec2 corner = vec2(gl_VertexID & 1, gl_VertexID >> 1) * 2.0 - 1.0;
	world = view.xy + corner * view.zw * vec2(1, -1);
	gl_Position = vec4(corner, 0, 1);
}`;

const noise = `
float hash(vec2 p) {
	p = fract(p * vec2(0.1031, 0.1030));
	p += dot(p, p.yx + 33.33);
	return fract((p.x + p.y) * p.x);
}
float noise(vec2 p) {
	vec2 i = floor(p), f = fract(p);
	f = f * f * (3.0 - 2.0 * f);
	return mix(mix(hash(i), hash(i + vec2(1, 0)), f.x), mix(hash(i + vec2(0, 1)), hash(i + 1.0), f.x), f.y);
}
float fbm(vec2 p) { return noise(p) * 0.5 + noise(p * 2.03 + 7.7) * 0.3 + noise(p * 4.1 + 3.1) * 0.2; }`;

const skyShader = `
in vec2 world;
uniform vec4 view;
uniform vec3 skyTop, skyLow, sunColor, far, near;
uniform float time, night;
out vec4 color;
${noise}
void main() {
	vec2 p = (world - view.xy) / max(view.w, 1.0); // -1 to 1 from top to bottom
	float y = p.y * 0.5 + 0.5;
	vec3 c = mix(skyTop, skyLow, smoothstep(0.0, 0.85, y));
	vec2 sun = p - vec2(0.75, -0.5) + view.xy * 0.00003;
	float s = length(sun);
	c += sunColor * (exp(-s * 2.6) * 0.36 + smoothstep(0.118, 0.110, s) * 0.42);
	if (night > 0.0) {
		vec2 g = floor((p + view.xy * 0.00002) * 26.0);
		vec2 f = fract((p + view.xy * 0.00002) * 26.0) - 0.5;
		float h = hash(g + 3.0);
		if (h > 0.72) c += night * smoothstep(0.09, 0.0, length(f + vec2(h - 0.85, 0.86 - h) * 2.0)) * (0.5 + 0.5 * sin(time * 1.3 + h * 90.0)) * (1.0 - y);
	}
	vec2 q = vec2(p.x + view.x * 0.00006 + time * 0.004, p.y + view.y * 0.00003);
	float cloud = smoothstep(0.52, 0.8, fbm(q * vec2(1.6, 4.2) + 11.0)) * smoothstep(0.9, 0.1, y);
	c = mix(c, mix(skyLow, vec3(1), 0.6 * (1.0 - night)) , cloud * 0.42);
	for (int i = 0; i < 3; i++) {
		float k = float(i), par = 0.00016 + 0.00013 * k;
		float x = p.x + view.x * par;
		float ridge = 0.18 + 0.2 * k - view.y * par * 0.35 + 0.35
			- (noise(vec2(x * (1.1 + 0.5 * k) + 13.0 * k, k)) * 0.5 + noise(vec2(x * (3.1 + k) + 5.0 * k, k + 9.0)) * 0.16) * (1.0 - 0.18 * k);
		float d = p.y - ridge;
		vec3 hill = mix(far, near, k * 0.5);
		hill = mix(hill, skyLow, 0.35 * smoothstep(0.0, 1.0, d) * (1.0 - 0.3 * k));
		c = mix(c, hill, smoothstep(-0.003, 0.003, d));
	}
	color = vec4(c, 1);
}`;

const groundShader = `
in vec2 world;
uniform highp usampler2D tiles;
uniform sampler2D depth;
uniform vec2 mapSize;
uniform float unit, time;
uniform vec3 solidTop, solidDeep, rim, hardTop, hardDeep, deathColor;
out vec4 color;
${noise}
const float R = 0.30; // radius of the corners, in tiles
int tile(ivec2 p) {
	p = clamp(p, ivec2(0), ivec2(mapSize) - 1);
	return int(texelFetch(tiles, p, 0).r);
}
bool solid(int t) { return t == 1 || t == 3; }

void main() {
	vec2 p = world / 32.0;
	ivec2 cell = ivec2(floor(p));
	vec2 f = p - floor(p);
	ivec2 side = ivec2(f.x < 0.5 ? -1 : 1, f.y < 0.5 ? -1 : 1);
	vec2 q = 0.5 - abs(f - 0.5); // to the nearest edges of the tile
	int self = tile(cell), tv = tile(cell + ivec2(0, side.y)), th = tile(cell + ivec2(side.x, 0)), td = tile(cell + side);
	bool S = solid(self), V = solid(tv), H = solid(th), D = solid(td);
	float d; // distance to the ground in tiles, negative inside
	int kind = self;
	if (S) {
		if (!H && !V) { vec2 e = R - q; d = length(max(e, 0.0)) + min(max(e.x, e.y), 0.0) - R; }
		else if (!H) d = -q.x;
		else if (!V) d = -q.y;
		else if (!D) d = -length(q);
		else d = -0.75;
	} else {
		kind = H ? th : tv;
		if (H && V) {
			vec2 e = max(R - q, 0.0);
			d = e.x > 0.0 && e.y > 0.0 ? R - length(e) : min(q.x, q.y);
			if (th != tv && q.x > q.y) kind = tv;
		}
		else if (H) d = !D && q.y < R ? length(vec2(q.x + R, R - q.y)) - R : q.x;
		else if (V) d = !D && q.x < R ? length(vec2(q.y + R, R - q.x)) - R : q.y;
		else if (D) { d = length(q + R) - R; kind = td; }
		else d = 0.7;
	}
	float px = unit / 32.0;
	float cover = clamp(0.5 - d / px, 0.0, 1.0);
	vec4 c = vec4(0);

	// Deadly tiles: spikes at the air, glowing below.
	if (self == 2) {
		int up = tile(cell - ivec2(0, 1)), down = tile(cell + ivec2(0, 1)), left = tile(cell - ivec2(1, 0)), right = tile(cell + ivec2(1, 0));
		float e = 9.0, along = 0.0;
		if (up != 2 && !solid(up) && f.y < e) { e = f.y; along = p.x; }
		if (down != 2 && !solid(down) && 1.0 - f.y < e) { e = 1.0 - f.y; along = p.x; }
		if (left != 2 && !solid(left) && f.x < e) { e = f.x; along = p.y; }
		if (right != 2 && !solid(right) && 1.0 - f.x < e) { e = 1.0 - f.x; along = p.y; }
		float tooth = abs(fract(along * 2.0) - 0.5) * 2.0;
		float s = e > 8.0 ? -1.0 : (tooth * 0.72 - e) * 0.42;
		float a = clamp(0.5 + -s / px, 0.0, 1.0);
		float heat = 0.75 + 0.25 * sin(time * 2.0 + p.x * 0.7 + p.y * 0.5);
		float tip = e > 8.0 ? 0.0 : smoothstep(0.95, 0.0, e);
		vec3 body = mix(deathColor * 0.28, deathColor * 1.15, tip * heat);
		body += 0.18 * smoothstep(0.08, 0.0, abs(tooth - 0.02)) * tip;
		body *= 0.82 + 0.3 * step(0.5, fract(along * 2.0));
		c = vec4(body * a, a);
		c += vec4(deathColor * 0.3 * (1.0 - a) * heat, 0.0);
	} else if (!S) {
		// The light of spikes on their surroundings.
		float glow = 0.0;
		for (int i = -1; i <= 1; i++) for (int j = -1; j <= 1; j++)
			if (tile(cell + ivec2(i, j)) == 2) glow = max(glow, 1.0 - length(max(abs(p - vec2(cell + ivec2(i, j)) - 0.5) - 0.5, 0.0)));
		c.rgb += deathColor * glow * glow * 0.22;
	}
	// A soft shadow along the ground.
	if (self != 2) c.a = 0.26 * (1.0 - smoothstep(0.0, 0.45, d));

	if (cover > 0.0) {
		float deep = texture(depth, p / mapSize).r * 255.0 / 16.0; // tiles to the air
		deep += length(max(max(-p, p - mapSize), 0.0)); // deep all around the map
		float in_ = max(-d, 0.0);
		vec3 g;
		if (kind == 3) {
			float hatch = smoothstep(-0.06, 0.06, abs(fract((p.x + p.y) * 1.0) - 0.5) - 0.25);
			g = mix(hardTop, hardDeep, clamp(deep * 0.4, 0.0, 1.0));
			g *= 0.93 + 0.09 * hatch;
			vec2 bolt = abs(fract(p) - 0.5);
			g *= 1.0 - 0.25 * smoothstep(0.07, 0.05, length(bolt - 0.36));
			g = mix(g, hardTop * 1.45, smoothstep(0.14, 0.10, in_) * 0.85);
		} else {
			float n = fbm(p * 0.9) * 0.6 + noise(p * 3.3) * 0.25;
			g = mix(solidTop, solidDeep, clamp(deep * 0.34 + (n - 0.45) * 0.35, 0.0, 1.0));
			// Stones in the earth.
			vec2 sp = p * 0.62, si = floor(sp);
			float h = hash(si + 5.0);
			float stone = length((fract(sp) - 0.5 - (vec2(h, fract(h * 7.0)) - 0.5) * 0.5) * vec2(1.0, 1.25)) - 0.10 - 0.12 * fract(h * 13.0);
			if (h > 0.45) g *= 1.0 + 0.10 * smoothstep(0.02, -0.02, stone);
			// Grass below the air.
			bool top = !solid(tile(cell - ivec2(0, 1))) && S;
			float blade = 0.20 + 0.075 * noise(vec2(p.x * 5.0, 1.0)) + 0.05 * sin(p.x * 9.0);
			if (top && f.y < blade + 0.16) {
				float edge = smoothstep(-px, px, blade - f.y);
				g = mix(g * (1.0 - 0.35 * smoothstep(blade + 0.16, blade, f.y)), mix(rim, rim * 0.72, f.y / blade), edge);
				g += edge * 0.13 * smoothstep(0.075, 0.05, f.y);
			}
			else g = mix(g, mix(rim, solidTop, 0.55), smoothstep(0.13, 0.09, in_) * 0.5);
		}
		g *= 0.72 + 0.28 * smoothstep(0.0, 0.055, in_); // a dark edge
		c = mix(c, vec4(g, 1), cover);
	}
	color = c;
}`;

/**
 * @typedef {Record<'skyTop'|'skyLow'|'sunColor'|'far'|'near'|'solidTop'|'solidDeep'|'rim'|'hardTop'|'hardDeep'|'deathColor', number>} Colors
 */

/** Looks of the sky and the ground; colours as 0xRRGGBB. @type {(Colors & {night: number})[]} */
export const THEMES = [
	{ skyTop: 0x3f7fd0, skyLow: 0xf3e3c4, sunColor: 0xfff0c0, far: 0x9db9d6, near: 0x5c8e74, solidTop: 0x9a704c, solidDeep: 0x6a4c37, rim: 0x6fb13f, hardTop: 0x9aa7b6, hardDeep: 0x5d6875, deathColor: 0xff4634, night: 0 },
	{ skyTop: 0x3a2c62, skyLow: 0xff9d6e, sunColor: 0xffc47a, far: 0x8d5478, near: 0x402a55, solidTop: 0x80607a, solidDeep: 0x523b5b, rim: 0xe58e57, hardTop: 0xa79dbc, hardDeep: 0x625878, deathColor: 0xff3d68, night: 0.25 },
	{ skyTop: 0x141d4a, skyLow: 0x3c6c99, sunColor: 0xbfd4ff, far: 0x2c5078, near: 0x1b335a, solidTop: 0x567690, solidDeep: 0x34506a, rim: 0x63c3b0, hardTop: 0x93a5c4, hardDeep: 0x4d5d7e, deathColor: 0xff4f8b, night: 1 },
	{ skyTop: 0x6fa6d8, skyLow: 0xeaf3f8, sunColor: 0xffffff, far: 0xb9cfe2, near: 0x86a5c2, solidTop: 0x7d92a8, solidDeep: 0x566a80, rim: 0xf2f8fc, hardTop: 0xa4b8cc, hardDeep: 0x62758a, deathColor: 0xe8403f, night: 0 },
];

export class Ground {
	/** @param {WebGL2RenderingContext} gl */
	constructor(gl) {
		this.gl = gl;
		this.sky = compile(gl, vertexShader, skyShader);
		this.ground = compile(gl, vertexShader, groundShader);
		this.empty = gl.createVertexArray();
		this.tiles = makeTexture(gl, gl.NEAREST, gl.CLAMP_TO_EDGE);
		this.depth = makeTexture(gl, gl.LINEAR, gl.CLAMP_TO_EDGE);
		this.width = 0;
		this.height = 0;
		gl.useProgram(this.ground.program);
		gl.uniform1i(this.ground.uniforms.tiles, 0);
		gl.uniform1i(this.ground.uniforms.depth, 1);
		this.setTheme(THEMES[0]);
	}

	/** @param {Colors & {night: number}} theme */
	setTheme(theme) {
		this.theme = theme;
		const gl = this.gl;
		for (const { program, uniforms } of [this.sky, this.ground]) {
			gl.useProgram(program);
			for (const [name, rgb] of Object.entries(theme)) {
				if (name !== 'night' && uniforms[name]) gl.uniform3f(uniforms[name], (rgb >> 16) / 255, ((rgb >> 8) & 255) / 255, (rgb & 255) / 255);
			}
		}
		gl.useProgram(this.sky.program);
		gl.uniform1f(this.sky.uniforms.night, theme.night);
	}

	/** @param {import('./mapfile.js').TileLayer} layer the game layer */
	setMap(layer) {
		const gl = this.gl;
		const max = gl.getParameter(gl.MAX_TEXTURE_SIZE);
		const [w, h] = [Math.min(layer.width, max), Math.min(layer.height, max)];
		const tiles = new Uint8Array(w * h);
		for (let y = 0; y < h; y++) {
			for (let x = 0; x < w; x++) {
				const t = layer.tiles[4 * (y * layer.width + x)];
				tiles[y * w + x] = t <= TILE.UNHOOKABLE ? t : TILE.AIR;
			}
		}
		this.width = w;
		this.height = h;
		gl.pixelStorei(gl.UNPACK_ALIGNMENT, 1);
		gl.bindTexture(gl.TEXTURE_2D, this.tiles);
		gl.texImage2D(gl.TEXTURE_2D, 0, gl.R8UI, w, h, 0, gl.RED_INTEGER, gl.UNSIGNED_BYTE, tiles);
		gl.bindTexture(gl.TEXTURE_2D, this.depth);
		gl.texImage2D(gl.TEXTURE_2D, 0, gl.R8, w, h, 0, gl.RED, gl.UNSIGNED_BYTE, depths(tiles, w, h));
		gl.pixelStorei(gl.UNPACK_ALIGNMENT, 4);
	}

	/**
	 * @param {import('./camera.js').Camera} camera
	 * @param {number} time in seconds
	 */
	draw(camera, time) {
		const gl = this.gl;
		gl.bindVertexArray(this.empty);
		for (const { program, uniforms } of [this.sky, this.ground]) {
			gl.useProgram(program);
			gl.uniform4f(uniforms.view, camera.x, camera.y, (camera.width * camera.zoom) / 2, (camera.height * camera.zoom) / 2);
			gl.uniform1f(uniforms.time, time);
			if (program === this.ground.program) {
				gl.uniform1f(uniforms.unit, camera.unit);
				gl.uniform2f(uniforms.mapSize, this.width, this.height);
				gl.activeTexture(gl.TEXTURE1);
				gl.bindTexture(gl.TEXTURE_2D, this.depth);
				gl.activeTexture(gl.TEXTURE0);
				gl.bindTexture(gl.TEXTURE_2D, this.tiles);
			}
			gl.drawArrays(gl.TRIANGLE_STRIP, 0, 4);
		}
		gl.bindVertexArray(null);
	}
}

/**
 * The distance of each tile to the air in 1/16 tile, up to 16 tiles, from two passes over the map.
 * @param {Uint8Array} tiles
 * @param {number} w
 * @param {number} h
 */
function depths(tiles, w, h) {
	const out = new Uint8Array(w * h);
	const at = (/** @type {number} */ x, /** @type {number} */ y) => (x < 0 || y < 0 || x >= w || y >= h ? 255 : out[y * w + x]);
	for (let i = 0; i < out.length; i++) out[i] = tiles[i] === TILE.SOLID || tiles[i] === TILE.UNHOOKABLE ? 255 : 0;
	for (let y = 0; y < h; y++) {
		for (let x = 0; x < w; x++) {
			const i = y * w + x;
			if (out[i]) out[i] = Math.min(out[i], at(x - 1, y) + 16, at(x, y - 1) + 16, at(x - 1, y - 1) + 23, at(x + 1, y - 1) + 23);
		}
	}
	for (let y = h - 1; y >= 0; y--) {
		for (let x = w - 1; x >= 0; x--) {
			const i = y * w + x;
			if (out[i]) out[i] = Math.min(out[i], at(x + 1, y) + 16, at(x, y + 1) + 16, at(x + 1, y + 1) + 23, at(x - 1, y + 1) + 23);
		}
	}
	return out;
}
