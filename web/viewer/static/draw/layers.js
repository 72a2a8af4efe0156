/**
 * Draws the layers of a map with their images, as the original client does.
 *
 * @module
 */

import { TICKS_PER_SECOND } from '../match/types.js';
import { loadImage } from './atlas.js';
import { evaluate } from './envelope.js';
import { compile } from './gl.js';
import { QUAD_INTS } from './mapfile.js';

/** @typedef {import('./mapfile.js').MapData} MapData */
/** @typedef {import('./mapfile.js').TileLayer} TileLayer */
/** @typedef {import('./mapfile.js').QuadLayer} QuadLayer */

const tileVertexShader = `
uniform vec4 view; // centre and half of the size, in world units
out vec2 world;
void main() {
	vec2 corner = vec2(gl_VertexID & 1, gl_VertexID >> 1) * 2.0 - 1.0;
	world = view.xy + corner * view.zw * vec2(1, -1);
	gl_Position = vec4(corner, 0, 1);
}`;

const tileShader = `
in vec2 world;
uniform highp usampler2D tiles;
uniform mediump sampler2DArray image;
uniform vec4 color;
uniform bool plain;
out vec4 o;
void main() {
	vec2 p = world / 32.0;
	vec2 dx = dFdx(p), dy = dFdy(p);
	ivec2 size = textureSize(tiles, 0);
	uvec2 t = texelFetch(tiles, clamp(ivec2(floor(p)), ivec2(0), size - 1), 0).rg; // the edge repeats for ever
	if (t.r == 0u) discard;
	if (plain) { o = color; return; }
	vec2 f = fract(p);
	if ((t.g & 8u) != 0u) { f = vec2(f.y, 1.0 - f.x); dx = vec2(dx.y, -dx.x); dy = vec2(dy.y, -dy.x); }
	if ((t.g & 1u) != 0u) f.x = 1.0 - f.x;
	if ((t.g & 2u) != 0u) f.y = 1.0 - f.y;
	o = textureGrad(image, vec3(f, float(t.r)), dx, dy) * color;
}`;

const quadVertexShader = `
layout(location=0) in vec2 at;
layout(location=1) in vec2 uv;
layout(location=2) in vec4 color;
uniform vec4 view;
out vec2 fUV;
out vec4 fColor;
void main() {
	fUV = uv;
	fColor = color;
	gl_Position = vec4((at - view.xy) / view.zw * vec2(1, -1), 0, 1);
}`;

const quadShader = `
in vec2 fUV;
in vec4 fColor;
uniform sampler2D image;
uniform bool plain;
out vec4 o;
void main() { o = plain ? fColor : texture(image, fUV) * fColor; }`;

/** The number of layers that are drawn. A map with more is shown in the page's own look. */
const MAX_DRAWN = 512;

const FLOATS = 8; // per vertex of a quad
const VERTICES = 6;
const CORNERS = [0, 1, 3, 0, 3, 2];

/**
 * @typedef {object} DrawnTiles
 * @property {'tiles'} type
 * @property {TileLayer} layer
 * @property {WebGLTexture} tiles
 */
/**
 * @typedef {object} DrawnQuads
 * @property {'quads'} type
 * @property {QuadLayer} layer
 * @property {WebGLVertexArrayObject} vao
 * @property {WebGLBuffer} buffer
 * @property {Float32Array} vertices
 * @property {boolean} moving
 * @property {{from: number, to: number, sampler: WebGLSampler}[]} runs consecutive quads that
 *   repeat their image in the same way
 */

export class Layers {
	/**
	 * @param {WebGL2RenderingContext} gl
	 * @param {MapData} map
	 * @param {string} base where external images are
	 * @param {Set<string>} files the existing files
	 */
	constructor(gl, map, base, files) {
		this.gl = gl;
		this.map = map;
		this.tileShader = compile(gl, tileVertexShader, tileShader);
		this.quadShader = compile(gl, quadVertexShader, quadShader);
		gl.useProgram(this.tileShader.program);
		gl.uniform1i(this.tileShader.uniforms.tiles, 0);
		gl.uniform1i(this.tileShader.uniforms.image, 1);
		this.empty = gl.createVertexArray();
		this.samplers = [0, 1, 2, 3].map((i) => this.sampler((i & 1) !== 0, (i & 2) !== 0));
		this.values = new Float32Array(4);
		this.view = new Float32Array(4);
		/** The images for quads, and cut into tiles. @type {(WebGLTexture|null)[]} */
		this.images = map.images.map(() => null);
		/** @type {(WebGLTexture|null)[]} */
		this.tileImages = map.images.map(() => null);
		this.deleted = false;
		/** @type {(DrawnTiles|DrawnQuads|null)[][]} */
		this.groups = map.groups.map((g) => g.layers.map((l) => (l.type === 'quads' ? this.quads(l) : l.kind === 0 ? this.tiles(l) : null)));
		/**
		 * Whether there is anything to draw. A map can consist of the game layer only, and images
		 * can be missing.
		 */
		this.any = false;
		/** Resolves when all available images are loaded. */
		this.loaded = Promise.all(map.images.map((_, i) => this.load(i, base, files))).then(() => {
			const drawn = this.groups.flat();
			this.any = drawn.length <= MAX_DRAWN && drawn.some((d) => d && (d.layer.image < 0 || (d.type === 'tiles' ? this.tileImages : this.images)[d.layer.image]));
		});
	}

	/** @param {boolean} repeatX @param {boolean} repeatY */
	sampler(repeatX, repeatY) {
		const gl = this.gl;
		const s = gl.createSampler();
		gl.samplerParameteri(s, gl.TEXTURE_MIN_FILTER, gl.LINEAR_MIPMAP_LINEAR);
		gl.samplerParameteri(s, gl.TEXTURE_MAG_FILTER, gl.LINEAR);
		gl.samplerParameteri(s, gl.TEXTURE_WRAP_S, repeatX ? gl.REPEAT : gl.CLAMP_TO_EDGE);
		gl.samplerParameteri(s, gl.TEXTURE_WRAP_T, repeatY ? gl.REPEAT : gl.CLAMP_TO_EDGE);
		return s;
	}

	/**
	 * Loads an image of the map.
	 * @param {number} i
	 * @param {string} base
	 * @param {Set<string>} files
	 */
	async load(i, base, files) {
		const image = this.map.images[i];
		try {
			let bitmap;
			if (image.pixels) {
				const data = new ImageData(new Uint8ClampedArray(image.pixels), image.width, image.height);
				bitmap = await createImageBitmap(data, { premultiplyAlpha: 'premultiply' });
			} else if (files.has(`mapres/${image.name}.png`)) bitmap = await loadImage(`${base}mapres/${encodeURIComponent(image.name)}.png`);
			else return;
			if (this.deleted) return;
			const used = (/** @type {string} */ type) => this.map.groups.some((g) => g.layers.some((l) => l.type === type && l.image === i));
			if (used('quads')) this.images[i] = this.wholeImage(bitmap);
			if (used('tiles')) this.tileImages[i] = this.cutImage(bitmap);
			bitmap.close();
		} catch (err) {
			console.warn(`The map's image ${image.name} cannot be shown: ${err}`);
		}
	}

	/** @param {ImageBitmap} bitmap */
	wholeImage(bitmap) {
		const gl = this.gl;
		const texture = gl.createTexture();
		gl.bindTexture(gl.TEXTURE_2D, texture);
		gl.texImage2D(gl.TEXTURE_2D, 0, gl.RGBA, gl.RGBA, gl.UNSIGNED_BYTE, bitmap);
		gl.generateMipmap(gl.TEXTURE_2D);
		return texture;
	}

	/**
	 * Cuts an image into its 16 by 16 tiles, so that tiles do not blend into their neighbours.
	 * @param {ImageBitmap} bitmap
	 */
	cutImage(bitmap) {
		const gl = this.gl;
		const [w, h] = [Math.max(1, Math.min(128, bitmap.width >> 4)), Math.max(1, Math.min(128, bitmap.height >> 4))];
		const canvas = new OffscreenCanvas(w * 16, h * 16);
		const context = /** @type {OffscreenCanvasRenderingContext2D} */ (canvas.getContext('2d', { willReadFrequently: true }));
		context.drawImage(bitmap, 0, 0, w * 16, h * 16);
		const from = context.getImageData(0, 0, w * 16, h * 16).data;
		const bytes = new Uint8Array(from.length);
		for (let i = 0; i < 256; i++) {
			for (let y = 0; y < h; y++) {
				const at = 4 * (((i >> 4) * h + y) * w * 16 + (i % 16) * w);
				bytes.set(from.subarray(at, at + 4 * w), 4 * w * (i * h + y));
			}
		}
		for (let i = 0; i < bytes.length; i += 4) {
			const a = bytes[i + 3];
			if (a === 255) continue;
			bytes[i] = (bytes[i] * a + 127) / 255;
			bytes[i + 1] = (bytes[i + 1] * a + 127) / 255;
			bytes[i + 2] = (bytes[i + 2] * a + 127) / 255;
		}
		const texture = gl.createTexture();
		gl.bindTexture(gl.TEXTURE_2D_ARRAY, texture);
		gl.texStorage3D(gl.TEXTURE_2D_ARRAY, 1 + Math.floor(Math.log2(Math.max(w, h))), gl.RGBA8, w, h, 256);
		gl.texSubImage3D(gl.TEXTURE_2D_ARRAY, 0, 0, 0, 0, w, h, 256, gl.RGBA, gl.UNSIGNED_BYTE, bytes);
		gl.generateMipmap(gl.TEXTURE_2D_ARRAY);
		gl.texParameteri(gl.TEXTURE_2D_ARRAY, gl.TEXTURE_MIN_FILTER, gl.LINEAR_MIPMAP_LINEAR);
		gl.texParameteri(gl.TEXTURE_2D_ARRAY, gl.TEXTURE_MAG_FILTER, gl.LINEAR);
		gl.texParameteri(gl.TEXTURE_2D_ARRAY, gl.TEXTURE_WRAP_S, gl.CLAMP_TO_EDGE);
		gl.texParameteri(gl.TEXTURE_2D_ARRAY, gl.TEXTURE_WRAP_T, gl.CLAMP_TO_EDGE);
		return texture;
	}

	/**
	 * @param {TileLayer} layer
	 * @returns {DrawnTiles}
	 */
	tiles(layer) {
		const gl = this.gl;
		const max = gl.getParameter(gl.MAX_TEXTURE_SIZE);
		const [w, h] = [Math.min(layer.width, max), Math.min(layer.height, max)];
		const data = new Uint8Array(2 * w * h);
		for (let y = 0; y < h; y++) {
			for (let x = 0; x < w; x++) {
				const [from, to] = [4 * (y * layer.width + x), 2 * (y * w + x)];
				data[to] = layer.tiles[from];
				data[to + 1] = layer.tiles[from + 1];
			}
		}
		const tiles = gl.createTexture();
		gl.bindTexture(gl.TEXTURE_2D, tiles);
		gl.pixelStorei(gl.UNPACK_ALIGNMENT, 1);
		gl.texImage2D(gl.TEXTURE_2D, 0, gl.RG8UI, w, h, 0, gl.RG_INTEGER, gl.UNSIGNED_BYTE, data);
		gl.pixelStorei(gl.UNPACK_ALIGNMENT, 4);
		gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MIN_FILTER, gl.NEAREST);
		gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MAG_FILTER, gl.NEAREST);
		return { type: 'tiles', layer, tiles };
	}

	/**
	 * @param {QuadLayer} layer
	 * @returns {DrawnQuads}
	 */
	quads(layer) {
		const gl = this.gl;
		const q = layer.quads;
		const n = q.length / QUAD_INTS;
		const vertices = new Float32Array(n * VERTICES * FLOATS);
		/** @type {DrawnQuads['runs']} */
		const runs = [];
		let moving = false;
		for (let i = 0; i < n; i++) {
			const at = i * QUAD_INTS;
			moving ||= q[at + 34] >= 0 || q[at + 36] >= 0;
			let [x, y] = [false, false];
			for (let k = 0; k < 4; k++) {
				x ||= q[at + 26 + 2 * k] < 0 || q[at + 26 + 2 * k] > 1024;
				y ||= q[at + 27 + 2 * k] < 0 || q[at + 27 + 2 * k] > 1024;
			}
			const sampler = this.samplers[(x ? 1 : 0) + (y ? 2 : 0)];
			const last = runs[runs.length - 1];
			if (last?.sampler === sampler) last.to = i + 1;
			else runs.push({ from: i, to: i + 1, sampler });
		}
		const vao = gl.createVertexArray();
		const buffer = gl.createBuffer();
		gl.bindVertexArray(vao);
		gl.bindBuffer(gl.ARRAY_BUFFER, buffer);
		for (const [i, size, offset] of [[0, 2, 0], [1, 2, 8], [2, 4, 16]]) {
			gl.enableVertexAttribArray(i);
			gl.vertexAttribPointer(i, size, gl.FLOAT, false, 4 * FLOATS, offset);
		}
		const drawn = /** @type {DrawnQuads} */ ({ type: 'quads', layer, vao, buffer, vertices, moving, runs });
		this.placeQuads(drawn, 0, 0);
		gl.bufferData(gl.ARRAY_BUFFER, vertices, moving ? gl.STREAM_DRAW : gl.STATIC_DRAW);
		gl.bindVertexArray(null);
		return drawn;
	}

	/**
	 * Computes the positions of a layer's quads.
	 * @param {DrawnQuads} d
	 * @param {number} tick
	 * @param {number} startTick
	 */
	placeQuads(d, tick, startTick) {
		const { vertices } = d;
		const q = d.layer.quads;
		const v = this.values;
		let to = 0;
		for (let at = 0; at < q.length; at += QUAD_INTS) {
			const colored = this.envelope(q[at + 36], q[at + 37], tick, startTick);
			const r = colored ? v[0] : 1;
			const g = colored ? v[1] : 1;
			const b = colored ? v[2] : 1;
			const a = colored ? v[3] : 1;
			let dx = 0;
			let dy = 0;
			let cos = 1;
			let sin = 0;
			if (this.envelope(q[at + 34], q[at + 35], tick, startTick)) {
				dx = v[0];
				dy = v[1];
				cos = Math.cos((v[2] * Math.PI) / 180);
				sin = Math.sin((v[2] * Math.PI) / 180);
			}
			const cx = q[at + 8];
			const cy = q[at + 9];
			for (let k = 0; k < VERTICES; k++) {
				const c = CORNERS[k];
				const x = q[at + 2 * c] - cx;
				const y = q[at + 2 * c + 1] - cy;
				const alpha = (q[at + 13 + 4 * c] / 255) * a;
				vertices[to] = (cx + x * cos - y * sin) / 1024 + dx;
				vertices[to + 1] = (cy + x * sin + y * cos) / 1024 + dy;
				vertices[to + 2] = q[at + 26 + 2 * c] / 1024;
				vertices[to + 3] = q[at + 27 + 2 * c] / 1024;
				vertices[to + 4] = (q[at + 10 + 4 * c] / 255) * r * alpha;
				vertices[to + 5] = (q[at + 11 + 4 * c] / 255) * g * alpha;
				vertices[to + 6] = (q[at + 12 + 4 * c] / 255) * b * alpha;
				vertices[to + 7] = alpha;
				to += FLOATS;
			}
		}
	}

	/**
	 * Computes the values of an envelope into this.values, and reports whether the envelope exists.
	 * @param {number} i
	 * @param {number} offset in ms
	 * @param {number} tick
	 * @param {number} startTick of the match
	 */
	envelope(i, offset, tick, startTick) {
		const e = this.map.envelopes[i];
		if (!e || e.points.length === 0) return false;
		let ticks = tick;
		if (e.synchronized) {
			const span = ((e.points[e.points.length - 1].time - e.points[0].time) * TICKS_PER_SECOND) / 1000;
			ticks = span > 0 ? (tick - startTick) % span : 0;
		}
		evaluate(e, ticks / TICKS_PER_SECOND + offset / 1000, this.values);
		return true;
	}

	/**
	 * Draws the groups behind the game layer, or those in front of it.
	 * @param {import('./camera.js').Camera} camera
	 * @param {number} tick
	 * @param {number} startTick of the match
	 * @param {boolean} front
	 */
	draw(camera, tick, startTick, front) {
		const gl = this.gl;
		let passed = false;
		for (let g = 0; g < this.groups.length; g++) {
			const group = this.map.groups[g];
			const layers = this.groups[g];
			if (group.clip && !this.clip(camera, group.clip)) continue;
			// Layers that move less than the game when the camera moves are far away, so they also
			// zoom less.
			const near = Math.min(Math.max(group.parallaxX, group.parallaxY, 0), 100) / 100;
			const zoom = 1 + (camera.zoom - 1) * near;
			const view = this.view;
			view[0] = (camera.x * group.parallaxX) / 100 + group.offsetX;
			view[1] = (camera.y * group.parallaxY) / 100 + group.offsetY;
			view[2] = (camera.width * zoom) / 2;
			view[3] = (camera.height * zoom) / 2;
			for (let l = 0; l < layers.length; l++) {
				if (group.layers[l] === this.map.game) passed = true;
				const d = layers[l];
				if (!d || passed !== front) continue;
				if (d.type === 'tiles') this.drawTiles(d, tick, startTick);
				else this.drawQuads(d, tick, startTick);
			}
			gl.disable(gl.SCISSOR_TEST);
		}
		gl.bindVertexArray(null);
		gl.bindSampler(0, null);
	}

	/**
	 * Restricts drawing to a part of the world, and reports whether that part is visible.
	 * @param {import('./camera.js').Camera} camera
	 * @param {{x: number, y: number, w: number, h: number}} clip
	 */
	clip(camera, clip) {
		const unit = camera.unit;
		const x = (clip.x - camera.worldX(0)) / unit;
		const y = (clip.y - camera.worldY(0)) / unit;
		const w = clip.w / unit;
		const h = clip.h / unit;
		if (w <= 0 || h <= 0 || x + w < 0 || y + h < 0 || x > camera.pixelWidth || y > camera.pixelHeight) return false;
		this.gl.enable(this.gl.SCISSOR_TEST);
		this.gl.scissor(Math.trunc(x), Math.trunc(camera.pixelHeight - y - h), Math.trunc(w), Math.trunc(h));
		return true;
	}

	/** @param {DrawnTiles} d @param {number} tick @param {number} startTick */
	drawTiles(d, tick, startTick) {
		const gl = this.gl;
		const { layer } = d;
		const image = layer.image < 0 ? null : this.tileImages[layer.image];
		if (layer.image >= 0 && !image) return;
		const { program, uniforms } = this.tileShader;
		const v = this.values;
		if (!this.envelope(layer.colorEnv, layer.colorEnvOffset, tick, startTick)) v.fill(1);
		const c = layer.color;
		const alpha = (c[3] / 255) * v[3];
		gl.useProgram(program);
		gl.uniform4fv(uniforms.view, this.view);
		gl.uniform4f(uniforms.color, (c[0] / 255) * v[0] * alpha, (c[1] / 255) * v[1] * alpha, (c[2] / 255) * v[2] * alpha, alpha);
		gl.uniform1i(uniforms.plain, image ? 0 : 1);
		gl.bindVertexArray(this.empty);
		gl.activeTexture(gl.TEXTURE1);
		gl.bindTexture(gl.TEXTURE_2D_ARRAY, image);
		gl.activeTexture(gl.TEXTURE0);
		gl.bindSampler(0, null);
		gl.bindTexture(gl.TEXTURE_2D, d.tiles);
		gl.drawArrays(gl.TRIANGLE_STRIP, 0, 4);
	}

	/** @param {DrawnQuads} d @param {number} tick @param {number} startTick */
	drawQuads(d, tick, startTick) {
		const gl = this.gl;
		const image = d.layer.image < 0 ? null : this.images[d.layer.image];
		if ((d.layer.image >= 0 && !image) || d.vertices.length === 0) return;
		const { program, uniforms } = this.quadShader;
		gl.useProgram(program);
		gl.uniform4fv(uniforms.view, this.view);
		gl.uniform1i(uniforms.plain, image ? 0 : 1);
		gl.activeTexture(gl.TEXTURE0);
		gl.bindTexture(gl.TEXTURE_2D, image);
		gl.bindVertexArray(d.vao);
		if (d.moving) {
			this.placeQuads(d, tick, startTick);
			gl.bindBuffer(gl.ARRAY_BUFFER, d.buffer);
			gl.bufferSubData(gl.ARRAY_BUFFER, 0, d.vertices);
		}
		for (const run of d.runs) {
			gl.bindSampler(0, image ? run.sampler : null);
			gl.drawArrays(gl.TRIANGLES, run.from * VERTICES, (run.to - run.from) * VERTICES);
		}
	}

	/** Frees the resources on the graphics card. */
	delete() {
		this.deleted = true;
		const gl = this.gl;
		for (const t of [...this.images, ...this.tileImages]) gl.deleteTexture(t);
		for (const s of this.samplers) gl.deleteSampler(s);
		for (const d of this.groups.flat()) {
			if (d?.type === 'tiles') gl.deleteTexture(d.tiles);
			else if (d) {
				gl.deleteBuffer(d.buffer);
				gl.deleteVertexArray(d.vao);
			}
		}
		gl.deleteVertexArray(this.empty);
		gl.deleteProgram(this.tileShader.program);
		gl.deleteProgram(this.quadShader.program);
	}
}
