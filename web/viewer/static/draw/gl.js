/**
 * Small helpers for WebGL2.
 *
 * @module
 */

/**
 * Compiles a program and looks up its uniforms.
 * @param {WebGL2RenderingContext} gl
 * @param {string} vertex
 * @param {string} fragment
 * @returns {{program: WebGLProgram, uniforms: Record<string, WebGLUniformLocation|null>}}
 */
export function compile(gl, vertex, fragment) {
	const program = gl.createProgram();
	for (const [type, source] of /** @type {[number, string][]} */ ([[gl.VERTEX_SHADER, vertex], [gl.FRAGMENT_SHADER, fragment]])) {
		const shader = /** @type {WebGLShader} */ (gl.createShader(type));
		gl.shaderSource(shader, `#version 300 es\nprecision highp float;\nprecision highp int;\n${source}`);
		gl.compileShader(shader);
		gl.attachShader(program, shader);
		gl.deleteShader(shader);
	}
	gl.linkProgram(program);
	if (!gl.getProgramParameter(program, gl.LINK_STATUS) && !gl.isContextLost()) {
		const logs = (gl.getAttachedShaders(program) ?? []).map((s) => gl.getShaderInfoLog(s)).join('\n');
		throw new Error(`A shader does not compile: ${gl.getProgramInfoLog(program)}\n${logs}`);
	}
	/** @type {Record<string, WebGLUniformLocation|null>} */
	const uniforms = {};
	const n = gl.getProgramParameter(program, gl.ACTIVE_UNIFORMS) ?? 0;
	for (let i = 0; i < n; i++) {
		const name = gl.getActiveUniform(program, i)?.name ?? '';
		uniforms[name] = gl.getUniformLocation(program, name);
	}
	return { program, uniforms };
}

/**
 * Creates a texture.
 * @param {WebGL2RenderingContext} gl
 * @param {number} filter such as gl.LINEAR
 * @param {number} wrap such as gl.CLAMP_TO_EDGE
 * @returns {WebGLTexture}
 */
export function makeTexture(gl, filter, wrap) {
	const texture = gl.createTexture();
	gl.bindTexture(gl.TEXTURE_2D, texture);
	gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MIN_FILTER, filter);
	gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MAG_FILTER, filter);
	gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_WRAP_S, wrap);
	gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_WRAP_T, wrap);
	return texture;
}
