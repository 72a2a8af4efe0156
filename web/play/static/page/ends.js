/**
 * What the end of a connection means: a reason of the server, of the client or of the browser in
 * words, and what the player can do.
 *
 * @module
 */

/**
 * @typedef {object} End
 * @property {string} title what happened
 * @property {string} text more about it, and what the player can do
 * @property {string} again the label of the button
 * @property {boolean} lost whether the server may be back in a moment, so that the page tries again by itself
 * @property {boolean} [stays] whether it also explains why the server does not answer from then on
 * @property {boolean} [watch] whether the page rather offers to watch
 * @property {'password' | 'name'} [field] what the player has to enter
 */

/** @typedef {(m: RegExpMatchArray) => Partial<End> & { title: string }} Explain */

const AGAIN = 'Play again';

/**
 * Reasons and their meaning. Those of Teeyard, of Teeworlds 0.7 and of DDNet are the same or alike.
 * @type {[RegExp, Explain][]}
 */
const REASONS = [
	[/^This server is full/i, () => ({ title: 'The server is full', text: 'Watch the match until a player leaves, then try again.', again: 'Try again', watch: true })],
	[/^You have been banned for life(?: \((.*)\))?$/i, ([, why]) => ({ title: 'You are banned from this server', text: because(why), again: 'Try again', stays: true })],
	[/^You have been banned (?:for )?(.+?)(?: \((.*)\))?$/i, ([, time, why]) => ({
		title: 'You are banned from this server', text: `The ban ends in ${time}.${spaced(because(why))}`, again: 'Try again', stays: true,
	})],
	[/^Wrong password$/i, () => ({ title: 'The password is wrong', text: 'Ask the operator of the server for the password.', again: 'Play', field: 'password' })],
	[/^Too many wrong passwords/i, () => ({ title: 'Too many wrong passwords', text: 'Wait a moment before you try the next one.', again: 'Try again', field: 'password' })],
	[/^Wrong version/i, () => ({ title: 'The server runs another version of the game', text: 'Reload the page to get the page of the server.', again: 'Try again' })],
	[/^Kicked \(your name is banned(?:: (.*))?\)$/i, ([, why]) => ({ title: 'The server does not accept this name', text: `${because(why)} Choose another name.`.trim(), again: 'Play', field: 'name' })],
	[/^Kicked for inactivity$/i, () => ({ title: 'You were away for too long', text: 'The server frees the places of players who do not move.' })],
	[/^Kicked (?:by vote|\(Kicked by vote\))$/i, () => ({ title: 'The players have voted you out', text: '' })],
	[/^Kicked by console$/i, () => ({ title: 'The operator has kicked you', text: '' })],
	[/^Kicked(?: \((.*)\))?$/i, ([, why]) => ({ title: 'You were kicked', text: because(why) })],
	[/^Only (\d+) players (?:with the same IP|from the same network) are allowed/i, ([, n]) => ({
		title: 'Too many players from your network', text: `The server allows ${n}. The operator can allow more: see sv_max_clients_per_ip.`, again: 'Try again',
	})],
	[/^Too many connections/i, () => ({ title: 'Too many connections', text: 'You have connected too often. Wait a moment.', again: 'Try again' })],
	[/^This server is about to end; join port (\d+)/i, ([, port]) => ({ title: 'The server is about to end', text: `Another one continues on port ${port}.`, again: 'Try again' })],
	[/^This server is about to end/i, () => ({ title: 'The server is about to end', text: 'It accepts no new players.', again: 'Try again' })],
	[/^(?:This map cannot be read|bad map)/i, () => ({ title: 'The map cannot be shown', text: 'The server plays a map that this version of the game cannot read. Wait for the next map.', again: 'Try again' })],
	[/^The server sends no (?:map|snapshots)$/, ([what]) => ({ title: 'The server does not let you in', text: `${what}. It may be overloaded, or made wrongly.`, again: 'Try again' })],
	[/^(?:Timeout|Too weak connection|Connection lost|The connection to the server was lost)/i, () => ({
		title: 'The connection is lost', text: 'Your network or the server has not answered for too long.', lost: true,
	})],
	[/^Server (?:shutdown|restart)|^The server ended the connection/i, () => ({ title: 'The server has stopped or restarts', text: 'You get your place back if it returns within a minute.', lost: true })],
	[/^no answer|does not answer/i, () => ({ title: 'The server does not answer', text: 'It may have stopped, or a firewall blocks WebSockets.', again: 'Try again', lost: true })],
];

/**
 * Explains the end of a connection.
 * @param {string} reason
 * @param {object} [state]
 * @param {boolean} [state.entered] whether the player was in the match
 * @param {string} [state.problem] why the server does not let this page play, empty for none
 * @returns {End}
 */
export function explain(reason, { entered = false, problem = '' } = {}) {
	const plain = reason.replace(/^client: (?:disconnected(?:: )?)?/, '').trim();
	if (problem && !entered) return { title: 'This page cannot play here', text: problem, again: 'Try again' };
	for (const [pattern, of] of REASONS) {
		const m = plain.match(pattern);
		if (!m) continue;
		const end = of(m);
		return { text: '', again: AGAIN, lost: false, ...end };
	}
	if (!plain) return { title: 'You have left the match', text: '', again: AGAIN, lost: false };
	// Operators end a server with words of their own.
	return { title: 'The server has ended the connection', text: plain, again: AGAIN, lost: entered };
}

/**
 * Explains what a player who joins now would meet; null for nothing.
 * @param {import('../../viewer/page/serverinfo.js').ServerInfo | null} info
 * @param {boolean} gone whether the server does not answer
 * @returns {End | null}
 */
export function obstacle(info, gone) {
	if (gone) return { title: 'The server does not answer', text: 'It has stopped, or it restarts. The page asks again every few seconds.', again: 'Try again', lost: true };
	if (!info || info.problem) return null;
	if (info.maxClients && info.clients >= info.maxClients) return explain('This server is full');
	if (!info.maxPlayers || info.players < info.maxPlayers) return null;
	return { title: 'All places are taken', text: 'You can join as a spectator, and play when a place is free.', again: 'Join as a spectator', lost: false, watch: true };
}

/**
 * Explains a crash of the program.
 * @param {string} reason
 * @returns {End}
 */
export function explainCrash(reason) {
	return {
		title: 'The game has crashed', again: 'Start again', lost: false,
		text: `This is a fault of the page, not of your connection. Starting again loads a new game and joins. The operator can report it: ${reason}`,
	};
}

/** @param {string | undefined} why */
function because(why) {
	return why && why !== 'No reason given' ? `Reason: ${why.replace(/\.$/, '')}.` : '';
}

/** @param {string} s */
function spaced(s) {
	return s && ' ' + s;
}
