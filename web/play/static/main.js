/**
 * The entry point of the page that plays.
 *
 * @module
 */

import { Program } from './engine/program.js';
import { Game } from './page/game.js';

/** The path of the server without a slash at the end: empty unless a proxy serves it below a path. */
const ROOT = new URL('..', import.meta.url).pathname.slice(0, -1);

/** The address of the program, which the page preloads. */
const PROGRAM = /** @type {HTMLLinkElement} */ (document.querySelector('link[rel=preload]')).href;

/** The game, for tests and the browser's console. */
/** @type {any} */ (globalThis).teeyard = new Game(ROOT, new Program(PROGRAM));
