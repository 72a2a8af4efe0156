/**
 * Carries datagrams to a server and back over WebSockets, as package transport/ws of the server
 * describes. Another way to carry them, such as WebTransport, is a class with the methods, events
 * and stats of Socket.
 * @module
 */

/** The subprotocols of one connection, and of a pair of connections with numbered datagrams. */
const SINGLE = 'binary', NUMBERED = 'teeyard.2';

/** The size of the number before a datagram, in bytes. */
const NUMBER = 2;

/** While more bytes than this wait in a connection, datagrams are dropped. The game sends newer ones. */
const MAX_BUFFERED = 16 << 10;

/** The times until a lost connection is opened again, in ms: the first, and the longest. */
const REDIAL = 1000, REDIAL_MOST = 30_000;

/** A connection is lost if it is silent for this time in ms and for this many datagrams of the other one. */
const SILENT = 5000, MISSED = 50;

/**
 * Finds the first copy of each numbered datagram. Numbers have 16 bits and wrap around.
 */
export class Window {
	constructor() {
		/** How many numbers before the newest are remembered. Older datagrams count as copies. */
		this.size = 2048;
		/** The newest number, as one that does not wrap around. */
		this.newest = -1;
		this.seen = new Float64Array(this.size).fill(-1);
	}

	/**
	 * Reports whether a number is new, and remembers it.
	 * @param {number} n
	 */
	first(n) {
		if (this.newest < 0) this.newest = 0x10000 + n;
		const at = this.newest + ((n - this.newest) << 16 >> 16), slot = at % this.size;
		if (at <= this.newest - this.size || this.seen[slot] === at) return false;
		this.seen[slot] = at;
		this.newest = Math.max(this.newest, at);
		return true;
	}
}

/**
 * A connection to a server for datagrams. Datagrams can be lost and arrive in another order, as with
 * UDP. With two, every datagram goes over two WebSockets if the server supports that, so a lost
 * packet of one does not delay it. One of them may break; the Socket opens it again.
 */
export class Socket {
	/**
	 * @param {string} url such as ws://host:8303/
	 * @param {{two?: boolean}} [options]
	 */
	constructor(url, { two = true } = {}) {
		/** Called once, when datagrams can be sent. */
		this.onopen = () => {};
		/** Called with each datagram, which is never empty. @type {(datagram: Uint8Array) => void} */
		this.ondatagram = () => {};
		/** Called once, when no connection is left, but not after close. @type {(reason: string) => void} */
		this.onclose = () => {};

		this.url = url;
		/** The id that both connections name. It is secret. */
		this.pair = two ? [...crypto.getRandomValues(new Uint8Array(16))].map((b) => b.toString(16).padStart(2, '0')).join('') : '';
		this.numbered = false;
		this.opened = false;
		this.closed = false;
		/** @type {Connection[]} */
		this.open = [];
		/** The connection that is being opened. @type {Connection | null} */
		this.next = null;
		this.wait = REDIAL;
		this.timer = 0;
		this.number = 0;
		this.window = new Window();
		this.sent = this.received = this.duplicates = 0;
		this.dial();
	}

	/** Numbers of datagrams sent, received and received again, and the number of open connections. */
	get stats() {
		return { sent: this.sent, received: this.received, duplicates: this.duplicates, sockets: this.open.length };
	}

	/**
	 * Sends a datagram, or drops it if no connection has room for it soon.
	 * @param {Uint8Array} datagram
	 */
	send(datagram) {
		if (datagram.length === 0) return;
		let message = datagram;
		if (this.numbered) {
			this.number = this.number + 1 & 0xffff;
			message = new Uint8Array(NUMBER + datagram.length);
			message[0] = this.number >> 8;
			message[1] = this.number;
			message.set(datagram, NUMBER);
		}
		let sent = false;
		for (const c of this.open) sent = c.send(message) || sent;
		if (sent) this.sent++;
	}

	/** Ends all connections. */
	close() {
		this.closed = true;
		clearTimeout(this.timer);
		for (const c of [...this.open, this.next]) c?.close();
		this.open = [];
		this.next = null;
	}

	/** Opens a connection. */
	dial() {
		const names = !this.pair ? [SINGLE] : [NUMBERED, 'pair.' + this.pair];
		if (this.pair && !this.opened) names.push(SINGLE);
		this.next = new Connection(this, this.url, names);
	}

	/** Opens the second connection after a time, if there is none. */
	dialLater(ms) {
		if (this.closed || !this.numbered || this.open.length !== 1 || this.next) return;
		clearTimeout(this.timer);
		this.timer = setTimeout(() => {
			if (!this.closed && this.open.length === 1 && !this.next) this.dial();
		}, ms);
	}

	/** @param {Connection} c */
	connected(c) {
		this.next = null;
		this.open.push(c);
		this.wait = REDIAL;
		if (!this.opened) {
			this.opened = true;
			this.numbered = c.protocol === NUMBERED;
			this.onopen();
		}
		this.dialLater(0);
	}

	/**
	 * Goes on without a connection.
	 * @param {Connection} c
	 * @param {string} reason
	 */
	lost(c, reason) {
		const wasOpen = this.open.includes(c);
		this.open = this.open.filter((o) => o !== c);
		if (c === this.next) this.next = null;
		if (this.closed) return;
		if (this.open.length === 0) {
			// The server has forgotten the pair, so a connection that opens later would be a stranger's.
			this.close();
			this.onclose(reason);
			return;
		}
		this.dialLater(this.wait);
		if (!wasOpen) this.wait = Math.min(2 * this.wait, REDIAL_MOST);
	}

	/**
	 * @param {Connection} from
	 * @param {Uint8Array} message
	 */
	receive(from, message) {
		const now = performance.now();
		from.heard = now;
		from.missed = 0;
		for (const c of this.open) {
			if (c !== from && ++c.missed > MISSED && now - c.heard > SILENT) {
				c.close();
				this.lost(c, '');
			}
		}
		let datagram = message;
		if (this.numbered) {
			if (message.length <= NUMBER) return;
			if (!this.window.first(message[0] << 8 | message[1])) {
				this.duplicates++;
				return;
			}
			datagram = message.subarray(NUMBER);
		}
		if (datagram.length === 0) return;
		this.received++;
		this.ondatagram(datagram);
	}
}

/**
 * One WebSocket of a Socket.
 */
class Connection {
	/**
	 * @param {Socket} owner
	 * @param {string} url
	 * @param {string[]} names of subprotocols
	 */
	constructor(owner, url, names) {
		/** The time of the last message, and how many the other connection has received since. */
		this.heard = this.missed = 0;
		const ws = this.ws = new WebSocket(url, names);
		ws.binaryType = 'arraybuffer';
		let isOpen = false;
		ws.onopen = () => {
			isOpen = true;
			this.heard = performance.now();
			owner.connected(this);
		};
		ws.onmessage = (m) => {
			if (m.data instanceof ArrayBuffer) owner.receive(this, new Uint8Array(m.data));
		};
		ws.onclose = (e) => owner.lost(this, e.reason || reasonOf(isOpen, e.code));
	}

	/** The subprotocol that the server has chosen. */
	get protocol() {
		return this.ws.protocol;
	}

	/**
	 * Sends a message, or returns false if it would have to wait.
	 * @param {Uint8Array} message
	 */
	send(message) {
		if (this.ws.readyState !== WebSocket.OPEN || this.ws.bufferedAmount > MAX_BUFFERED) return false;
		this.ws.send(message);
		return true;
	}

	/** Ends the connection without further events. */
	close() {
		this.ws.onopen = this.ws.onmessage = this.ws.onclose = null;
		this.ws.close();
	}
}

/**
 * @param {boolean} wasOpen
 * @param {number} code of the end
 */
function reasonOf(wasOpen, code) {
	if (!wasOpen) return 'The server does not answer, or it does not let this page connect.';
	if (code === 1001) return 'The server ended the connection.';
	return 'The connection to the server was lost.';
}
