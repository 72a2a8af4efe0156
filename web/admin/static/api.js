// The API of the server. openapi.json describes it.

export class ApiError extends Error {
	/**
	 * @param {number} status
	 * @param {string} text
	 */
	constructor(status, text) {
		super(text);
		this.status = status;
	}
}

/** The path of the API. A proxy may serve the server below a path. */
const API = new URL('../api', import.meta.url).pathname;

/** @type {() => void} called when the session has ended */
let onSignedOut = () => {};

/** @param {() => void} f */
export function whenSignedOut(f) { onSignedOut = f; }

/**
 * Sends a request. Bodies and answers are JSON.
 * @param {string} method
 * @param {string} path below /admin/api
 * @param {object} [body]
 * @returns {Promise<any>}
 */
export async function call(method, path, body) {
	let res;
	try {
		res = await fetch(API + path, {
			method, credentials: 'same-origin', cache: 'no-store',
			...(body === undefined ? {} : { headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body) }),
		});
	} catch {
		throw new ApiError(0, 'The server does not answer.');
	}
	const answer = await res.json().catch(() => ({}));
	if (res.ok) return answer;
	if (res.status === 401 && path !== '/login') onSignedOut();
	throw new ApiError(res.status, answer.error || res.statusText);
}

/** @param {string} path */
export const get = (path) => call('GET', path);
/**
 * @param {string} path
 * @param {object} [body]
 */
export const post = (path, body) => call('POST', path, body);

/**
 * Reads the event stream. The browser reconnects by itself while the server is away.
 * @param {Record<string, (data: any) => void>} handlers by topic; state is called with true and
 *   false
 * @returns {() => void} which ends the stream
 */
export function listen(handlers) {
	const topics = ['log', 'players', 'sample'];
	const source = new EventSource(API + '/events?topics=' + topics.join(','));
	for (const topic of [...topics, 'lost']) {
		source.addEventListener(topic, (e) => handlers[topic]?.(JSON.parse(/** @type {MessageEvent} */ (e).data)));
	}
	source.onopen = () => handlers.state(true);
	source.onerror = () => {
		handlers.state(false);
		// An answer other than a stream ends the stream for good: the session may have ended.
		if (source.readyState === EventSource.CLOSED) get('/me').then((me) => me.level ? handlers.ended() : onSignedOut(), () => handlers.ended());
	};
	return () => source.close();
}
