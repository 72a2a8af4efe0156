/**
 * The server's description: what it plays, who may join, and where.
 *
 * @module
 */

import { clean } from '../match/text.js';

/**
 * @typedef {object} ServerInfo
 * @property {string} name
 * @property {string} address host and port, for clients
 * @property {string} gameType
 * @property {boolean} ddrace whether players speak DDNet's version
 * @property {boolean} password whether players need one
 * @property {number} players without bots
 * @property {number} maxPlayers
 * @property {number} clients players and spectators, without bots
 * @property {number} maxClients
 * @property {number} bots
 * @property {{ name: string, sha256: string, size: number } | null} map
 * @property {string} problem why this page cannot play; empty for none
 */

/** The longest text, and the time in ms after which a server does not answer. */
const LONGEST = 256, TIMEOUT = 15_000;

/** The port of the game if the server does not name it and the page's address has none. */
const STANDARD_PORT = 8303;

/**
 * Loads the description. It is null while the server does not answer.
 * @param {string} root the path of the server, without a slash at the end
 * @returns {Promise<ServerInfo | null>}
 */
export async function loadServerInfo(root) {
	const info = await readJSON(`${root}/play/info.json?origin=${encodeURIComponent(location.origin)}`);
	if (info) return readInfo(info);
	const status = await readJSON(root + '/status.json');
	return status?.info ? readStatus(status.info) : null;
}

/** @param {string} url */
async function readJSON(url) {
	try {
		const r = await fetch(url, { cache: 'no-cache', signal: AbortSignal.timeout(TIMEOUT) });
		return r.ok ? await r.json() : null;
	} catch {
		return null;
	}
}

/**
 * Reads play/info.json.
 * @param {any} i
 * @returns {ServerInfo}
 */
function readInfo(i) {
	return {
		name: text(i.name), address: addressOf(text(i.host), number(i.port)), gameType: text(i.game_type), ddrace: i.ddrace === true, password: i.password === true,
		players: number(number(i.players) - number(i.bots)), maxPlayers: number(i.max_players), clients: number(number(i.clients) - number(i.bots)),
		maxClients: number(i.max_clients), bots: number(i.bots), map: readMapInfo(i.map), problem: text(i.problem),
	};
}

/**
 * Reads the part info of status.json, for clients that may not read play/info.json.
 * @param {any} i
 * @returns {ServerInfo}
 */
function readStatus(i) {
	return {
		name: text(i.name), address: addressOf('', 0), gameType: text(i.game_type), ddrace: /^ddrace/i.test(text(i.game_type)), password: i.passworded === true,
		players: Array.isArray(i.clients) ? i.clients.filter((/** @type {any} */ c) => c?.is_player !== false).length : 0, maxPlayers: number(i.max_players),
		clients: Array.isArray(i.clients) ? i.clients.length : 0, maxClients: number(i.max_clients), bots: 0, map: readMapInfo(i.map), problem: '',
	};
}

/** @param {any} m */
function readMapInfo(m) {
	return m && text(m.name) ? { name: text(m.name), sha256: text(m.sha256), size: number(m.size) } : null;
}

/**
 * The address for clients.
 * @param {string} host as the server names itself; empty for the page's
 * @param {number} port of the game; 0 if unknown
 */
function addressOf(host, port) {
	const name = host || location.hostname;
	return `${name.includes(':') && !name.startsWith('[') ? `[${name}]` : name}:${port || location.port || STANDARD_PORT}`;
}

/** @param {unknown} v */
function text(v) {
	return typeof v === 'string' ? clean(v.slice(0, LONGEST)) : '';
}

/** @param {unknown} v */
function number(v) {
	return Number.isSafeInteger(v) && /** @type {number} */ (v) > 0 ? /** @type {number} */ (v) : 0;
}

/**
 * The players in words, such as 3 of 16 players, 5 bots.
 * @param {ServerInfo} info
 */
export function playersText({ players, maxPlayers, bots }) {
	const text = maxPlayers ? `${players} of ${maxPlayers} players` : players === 1 ? '1 player' : `${players} players`;
	return bots ? `${text}, ${bots === 1 ? '1 bot' : `${bots} bots`}` : text;
}
