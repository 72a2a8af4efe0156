/**
 * Draws all moving things in one call: a list of rectangles. Each is a part of an image, or a shape
 * drawn from its distance field and so sharp at every size. Later ones cover earlier ones.
 *
 * @module
 */

import { compile } from './gl.js';

/**
 * Kinds of shapes, with the meaning of their parameters p and q. Sizes are half of the width and
 * height.
 */
export const SHAPE = Object.freeze({
	IMAGE: 0, // a part of the atlas
	BOX: 1, // p: radius of the corners
	ELLIPSE: 2,
	WEDGE: 3, // p: width at the top relative to the bottom; q: radius of the corners
	STAR: 4, // p: points; q: inner radius as a fraction
	HEART: 5,
	SHIELD: 6,
	GLOW: 7, // fades out towards its edge; p: 1 adds light, 0 covers
	RING: 8, // p: thickness as a fraction of the radius
	FLAME: 9, // a drop that points to the right
	CLOTH: 10, // a flag in the wind; p: phase
	TEXT: 11, // a part of the texture of names
	SMOKE: 12, // a soft cloud; p: seed
	GREY: 13, // a part of the atlas in shades of the colour
});

const FLOATS = 16; // per instance
const MAX = 8192; // instances

const vertexShader = `
layout(location=0) in vec4 box;
layout(location=1) in vec4 form;
layout(location=2) in vec4 uv;
layout(location=3) in vec4 fill;
layout(location=4) in vec4 fill2;
layout(location=5) in vec4 line;
uniform vec4 view; // centre, 2/size
uniform float unit;
out vec2 at;
flat out vec4 fBox, fForm, fUV, fFill, fFill2, fLine;
void main() {
	vec2 corner = vec2(gl_VertexID & 1, gl_VertexID >> 1) * 2.0 - 1.0;
	bool image = form.y < 0.5 || form.y == 11.0 || form.y == 13.0;
	float pad = image ? 0.0 : uv.x + 1.5 * unit; // for the outline
	vec2 size = abs(box.zw);
	at = corner * (size + pad);
	float c = cos(form.x), s = sin(form.x);
	vec2 p = box.xy + vec2(at.x * c - at.y * s, at.x * s + at.y * c);
	if (image) at = corner;
	else at *= sign(box.zw + 1e-9);
	fBox = vec4(box.xy, size);
	fForm = form;
	fUV = uv;
	fFill = fill;
	fFill2 = fill2;
	fLine = line;
	gl_Position = vec4((p - view.xy) * view.zw * vec2(1, -1), 0, 1);
}`;

const fragmentShader = `
in vec2 at;
flat in vec4 fBox, fForm, fUV, fFill, fFill2, fLine;
uniform sampler2D atlas, names;
uniform float unit;
out vec4 color;

float box(vec2 p, vec2 size, float r) {
	vec2 d = abs(p) - size + r;
	return length(max(d, 0.0)) + min(max(d.x, d.y), 0.0) - r;
}
float ellipse(vec2 p, vec2 size) {
	float k = length(p / size), g = length(p / (size * size));
	return k < 1e-4 ? -min(size.x, size.y) : k * (k - 1.0) / max(g, 1e-6);
}
float wedge(vec2 p, vec2 size, float top, float r) {
	size -= r;
	float a = size.x * top, b = size.x;
	vec2 k1 = vec2(b, size.y), k2 = vec2(b - a, 2.0 * size.y);
	p.x = abs(p.x);
	vec2 ca = vec2(p.x - min(p.x, p.y < 0.0 ? a : b), abs(p.y) - size.y);
	vec2 cb = p - k1 + k2 * clamp(dot(k1 - p, k2) / dot(k2, k2), 0.0, 1.0);
	float s = cb.x < 0.0 && ca.y < 0.0 ? -1.0 : 1.0;
	return s * sqrt(min(dot(ca, ca), dot(cb, cb))) - r;
}
float star(vec2 p, float r, float n, float inner) {
	float step = 3.14159265 / n;
	float a = atan(p.x, -p.y);
	a = abs(mod(a + step, 2.0 * step) - step);
	p = length(p) * vec2(sin(a), cos(a)) ;
	vec2 tip = vec2(0, r), dent = inner * r * vec2(sin(step), cos(step));
	vec2 e = dent - tip, w = p - tip;
	vec2 d = w - e * clamp(dot(w, e) / dot(e, e), 0.0, 1.0);
	return length(d) * sign(e.x * w.y - e.y * w.x);
}
float heart(vec2 p, vec2 size) {
	p = vec2(abs(p.x), -p.y) / size * 0.58 + vec2(0, 0.52);
	float d = p.x + p.y > 1.0 ? length(p - vec2(0.25, 0.75)) - 0.35355
		: sqrt(min(dot(p - vec2(0, 1), p - vec2(0, 1)), dot(p - 0.5 * max(p.x + p.y, 0.0), p - 0.5 * max(p.x + p.y, 0.0)))) * sign(p.x - p.y);
	return d * min(size.x, size.y) / 0.58;
}
float shield(vec2 p, vec2 size) {
	p.x = abs(p.x);
	float top = box(p + vec2(0, size.y * 0.45), vec2(size.x, size.y * 0.55), size.x * 0.18);
	float low = max(length(p - vec2(-size.x * 0.35, 0.0) ) - size.x * 1.35, -p.y);
	return min(top, low);
}
float flame(vec2 p, vec2 size) {
	p /= size;
	float t = clamp((p.x + 1.0) * 0.5, 0.0, 1.0);
	float w = sin(3.14159265 * pow(1.0 - t, 1.6)) * 0.92;
	return (abs(p.y) - w) * size.y * 0.7;
}
float noise(vec2 p) {
	vec2 i = floor(p), f = fract(p);
	f = f * f * (3.0 - 2.0 * f);
	vec4 h = fract(sin(vec4(dot(i, vec2(127.1, 311.7)), dot(i + vec2(1, 0), vec2(127.1, 311.7)), dot(i + vec2(0, 1), vec2(127.1, 311.7)), dot(i + 1.0, vec2(127.1, 311.7)))) * 43758.5453);
	return mix(mix(h.x, h.y, f.x), mix(h.z, h.w, f.x), f.y);
}

void main() {
	int kind = int(fForm.y + 0.5);
	float p = fForm.z, q = fForm.w, width = fUV.x;
	vec2 size = fBox.zw;
	if (kind == 0 || kind == 11 || kind == 13) {
		vec2 t = mix(fUV.xy, fUV.zw, at * 0.5 + 0.5);
		vec4 c = kind == 11 ? texture(names, t) : texture(atlas, t);
		if (kind == 13) c.rgb = vec3((c.r + c.g + c.b) / 3.0);
		color = c * fFill;
		if (color.a <= 0.0) discard;
		return;
	}
	float y = clamp(at.y / size.y * 0.5 + 0.5, 0.0, 1.0);
	vec4 fill = mix(fFill, fFill2, y);
	float d;
	if (kind == 1) d = box(at, size, p);
	else if (kind == 2) d = ellipse(at, size);
	else if (kind == 3) d = wedge(at, size, p, q);
	else if (kind == 4) d = star(at, min(size.x, size.y), p, q);
	else if (kind == 5) d = heart(at, size);
	else if (kind == 6) d = shield(at, size);
	else if (kind == 7) {
		float r = length(at / size);
		float a = max(0.0, 1.0 - r);
		vec4 c = mix(fFill2, fFill, a * a) * (a * a * (3.0 - 2.0 * a));
		color = vec4(c.rgb, c.a * (1.0 - p));
		return;
	}
	else if (kind == 8) d = abs(ellipse(at, size * (1.0 - p * 0.5))) - p * 0.5 * min(size.x, size.y);
	else if (kind == 9) d = flame(at, size);
	else if (kind == 10) {
		float t = at.x / size.x * 0.5 + 0.5;
		float wave = sin(t * 5.0 - p) * t;
		d = box(at - vec2(0, wave * size.y * 0.13), size * vec2(1, 0.86), 2.0) * 0.9;
		fill.rgb *= 1.0 + 0.16 * cos(t * 5.0 - p) * t;
	}
	else {
		float r = length(at / size);
		float n = noise(at / size * 2.2 + p * 17.0) * 0.45;
		float a = smoothstep(1.0, 0.35, r + n);
		color = fill * a;
		return;
	}
	float inside = clamp(0.5 - d / unit, 0.0, 1.0);
	float outer = clamp(0.5 - (d - width) / unit, 0.0, 1.0);
	color = width > 0.0 ? mix(fLine, fill, inside) * outer : fill * inside;
	if (color.a <= 0.0) discard;
}`;

/**
 * Packs a colour for Sprites. Channels are 0 to 1.
 * @param {number} r
 * @param {number} g
 * @param {number} b
 * @param {number} [a]
 */
export function rgba(r, g, b, a = 1) {
	return ((Math.round(a * 255) << 24) | (Math.round(b * a * 255) << 16) | (Math.round(g * a * 255) << 8) | Math.round(r * a * 255)) >>> 0;
}

/** Packs a colour written as 0xRRGGBB. @param {number} rgb @param {number} [a] opacity */
export function hex(rgb, a = 1) {
	return rgba((rgb >> 16) / 255, ((rgb >> 8) & 255) / 255, (rgb & 255) / 255, a);
}

/** Makes a packed colour more transparent. @param {number} c @param {number} a 0 to 1 */
export function fade(c, a) {
	const k = a <= 0 ? 0 : a >= 1 ? 256 : (a * 256) | 0;
	return (((((c >>> 24) * k) >> 8) << 24) | (((((c >> 16) & 255) * k) >> 8) << 16) | (((((c >> 8) & 255) * k) >> 8) << 8) | (((c & 255) * k) >> 8)) >>> 0;
}

export const WHITE = 0xffffffff;

/** The shapes and images of which the looks consist. Their colours are packed; angles are clockwise. */
export class Shapes {
	/** The colour and width of the outlines of the following shapes. */
	line = 0;
	lineWidth = 0;

	/**
	 * Adds a shape.
	 * @param {number} kind SHAPE
	 * @param {number} x centre
	 * @param {number} y
	 * @param {number} hw half of the width; negative mirrors
	 * @param {number} hh half of the height
	 * @param {number} angle clockwise
	 * @param {number} fill packed colour at the top
	 * @param {number} fill2 at the bottom
	 * @param {number} [p] see SHAPE
	 * @param {number} [q]
	 */
	shape(kind, x, y, hw, hh, angle, fill, fill2, p = 0, q = 0) {
		this.add(kind, x, y, hw, hh, angle, p, q, this.lineWidth, 0, 0, 0, fill, fill2);
	}

	/**
	 * Adds a part of the atlas.
	 * @param {number} x centre
	 * @param {number} y
	 * @param {number} hw half of the width
	 * @param {number} hh
	 * @param {number} angle
	 * @param {{u0: number, v0: number, u1: number, v1: number}} part
	 * @param {number} [flip] 1 mirrors left to right, 2 top to bottom
	 * @param {number} [color]
	 */
	image(x, y, hw, hh, angle, part, flip = 0, color = WHITE) {
		const fx = (flip & 1) !== 0;
		const fy = (flip & 2) !== 0;
		this.add(SHAPE.IMAGE, x, y, hw, hh, angle, 0, 0, fx ? part.u1 : part.u0, fy ? part.v1 : part.v0, fx ? part.u0 : part.u1, fy ? part.v0 : part.v1, color, color);
	}

	/**
	 * @param {number} _kind @param {number} _x @param {number} _y @param {number} _hw @param {number} _hh @param {number} _angle
	 * @param {number} _p @param {number} _q @param {number} _u0 @param {number} _v0 @param {number} _u1 @param {number} _v1
	 * @param {number} _fill @param {number} _fill2
	 */
	add(_kind, _x, _y, _hw, _hh, _angle, _p, _q, _u0, _v0, _u1, _v1, _fill, _fill2) {}
}

export class Sprites extends Shapes {
	/** @param {WebGL2RenderingContext} gl */
	constructor(gl) {
		super();
		this.gl = gl;
		this.data = new ArrayBuffer(MAX * FLOATS * 4);
		this.floats = new Float32Array(this.data);
		this.colors = new Uint32Array(this.data);
		this.n = 0;
		this.shader = compile(gl, vertexShader, fragmentShader);
		this.buffer = gl.createBuffer();
		this.vao = gl.createVertexArray();
		gl.bindVertexArray(this.vao);
		gl.bindBuffer(gl.ARRAY_BUFFER, this.buffer);
		gl.bufferData(gl.ARRAY_BUFFER, this.data.byteLength, gl.STREAM_DRAW);
		for (let i = 0; i < 3; i++) gl.vertexAttribPointer(i, 4, gl.FLOAT, false, FLOATS * 4, 16 * i);
		for (let i = 3; i < 6; i++) gl.vertexAttribPointer(i, 4, gl.UNSIGNED_BYTE, true, FLOATS * 4, 48 + 4 * (i - 3));
		for (let i = 0; i < 6; i++) {
			gl.enableVertexAttribArray(i);
			gl.vertexAttribDivisor(i, 1);
		}
		gl.bindVertexArray(null);
		gl.useProgram(this.shader.program);
		gl.uniform1i(this.shader.uniforms.atlas, 0);
		gl.uniform1i(this.shader.uniforms.names, 1);
	}

	/**
	 * @param {number} kind @param {number} x @param {number} y @param {number} hw @param {number} hh @param {number} angle
	 * @param {number} p @param {number} q @param {number} u0 @param {number} v0 @param {number} u1 @param {number} v1
	 * @param {number} fill @param {number} fill2
	 */
	add(kind, x, y, hw, hh, angle, p, q, u0, v0, u1, v1, fill, fill2) {
		if (this.n === MAX) return;
		const f = this.floats;
		const i = this.n++ * FLOATS;
		f[i] = x;
		f[i + 1] = y;
		f[i + 2] = hw;
		f[i + 3] = hh;
		f[i + 4] = angle;
		f[i + 5] = kind;
		f[i + 6] = p;
		f[i + 7] = q;
		f[i + 8] = u0;
		f[i + 9] = v0;
		f[i + 10] = u1;
		f[i + 11] = v1;
		this.colors[i + 12] = fill;
		this.colors[i + 13] = fill2;
		this.colors[i + 14] = this.line;
	}

	/**
	 * Draws the added shapes and clears the list.
	 * @param {import('./camera.js').Camera} camera
	 * @param {WebGLTexture|null} atlas
	 * @param {WebGLTexture|null} names
	 */
	flush(camera, atlas, names) {
		if (this.n === 0) return;
		const gl = this.gl;
		gl.useProgram(this.shader.program);
		gl.uniform4f(this.shader.uniforms.view, camera.x, camera.y, 2 / (camera.width * camera.zoom), 2 / (camera.height * camera.zoom));
		gl.uniform1f(this.shader.uniforms.unit, camera.unit);
		gl.activeTexture(gl.TEXTURE1);
		gl.bindTexture(gl.TEXTURE_2D, names);
		gl.activeTexture(gl.TEXTURE0);
		gl.bindTexture(gl.TEXTURE_2D, atlas);
		gl.bindVertexArray(this.vao);
		gl.bindBuffer(gl.ARRAY_BUFFER, this.buffer);
		gl.bufferSubData(gl.ARRAY_BUFFER, 0, this.floats, 0, this.n * FLOATS);
		gl.drawArraysInstanced(gl.TRIANGLE_STRIP, 0, 4, this.n);
		gl.bindVertexArray(null);
		this.n = 0;
	}
}
