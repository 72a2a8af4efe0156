/**
 * The frame that all pages share: the server, the ways to the other pages, help, and how to join with
 * a client.
 *
 * @module
 */

import { ICON, button, make, setText } from './dom.js';
import { loadServerInfo, playersText } from './serverinfo.js';

/** The time between two requests for the server's description, in ms. */
const INFO_EVERY = 10_000;

/** How long a button says that it has copied, in ms. */
const COPIED = 1500;

/** A game controller, as in ICON. */
const CLIENT = 'M7 7h10a5 5 0 0 1 5 5.5c0 2.5-.8 5.5-3 5.5-1.8 0-2.5-2.5-4-2.5h-6c-1.5 0-2.2 2.5-4 2.5-2.2 0-3-3-3-5.5A5 5 0 0 1 7 7zM7 9.5v1.5H5.5v2H7v1.5h2V13h1.5v-2H9V9.5zM16 9.5v2h2v-2zM14 12v2h2v-2z';

/** The pages by their key. @type {[string, string, string][]} */
const PAGES = [['watch', 'Watch', './'], ['play', 'Play', 'play'], ['replays', 'Replays', 'replays']];

export class Frame {
	/**
	 * @param {object} options
	 * @param {string} options.root the path of the server, without a slash at the end
	 * @param {'watch' | 'play' | 'replays' | 'admin'} options.page
	 * @param {() => void} [options.help] shows the keys of the page
	 * @param {boolean} [options.load] whether the frame loads the server's description itself
	 * @param {(info: import('./serverinfo.js').ServerInfo) => void} [options.onupdate] called with each description
	 */
	constructor({ root, page, help, load = true, onupdate = () => {} }) {
		this.root = root;
		this.onupdate = onupdate;
		/** @type {import('./serverinfo.js').ServerInfo | null} */
		this.info = null;
		const box = this.box = make('header');
		box.id = 'frame';
		box.hidden = !load; // the frame is there from the beginning, and its name when the server has told it
		this.server = make('button', 'server');
		this.server.type = 'button';
		this.server.title = 'Copy the address of the server';
		this.server.addEventListener('click', () => this.copy(this.server, this.name));
		this.name = make('strong');
		this.players = make('span', 'count');
		this.server.append(this.name, this.players);
		const pages = make('nav');
		pages.setAttribute('aria-label', 'pages');
		for (const [key, label, path] of PAGES) {
			const a = make('a', '', label);
			a.href = `${root}/${path.replace('./', '')}`;
			if (key === page) a.setAttribute('aria-current', 'page');
			pages.append(a);
		}
		box.append(this.server, make('span', 'gap'), pages, button('Join with a client', CLIENT, () => this.showClients()));
		if (help) {
			const b = button('Keys', ICON.HELP, help);
			b.classList.add('keys');
			box.append(b);
		}
		document.body.append(box);
		if (!load) return;
		const ask = async () => {
			if (document.hidden) return;
			const info = await loadServerInfo(root);
			if (info) this.update(info);
			else box.hidden = this.info === null; // a page of teeyard watch has no server
		};
		ask();
		setInterval(ask, INFO_EVERY);
	}

	/** @param {import('./serverinfo.js').ServerInfo} info */
	update(info) {
		this.info = info;
		this.box.hidden = false;
		setText(this.name, info.name || info.address);
		setText(this.players, playersText(info));
		this.onupdate(info);
	}

	/**
	 * Copies the address for clients, and says so in place of a text.
	 * @param {HTMLElement} clicked
	 * @param {HTMLElement} label
	 */
	async copy(clicked, label) {
		const address = this.info?.address ?? location.host, before = label.textContent ?? '';
		if (clicked.dataset.copied) return;
		clicked.dataset.copied = 'true';
		try {
			await navigator.clipboard.writeText(address);
			label.textContent = `Copied ${address}`;
		} catch {
			label.textContent = address; // plain HTTP has no clipboard
		}
		setTimeout(() => {
			delete clicked.dataset.copied;
			label.textContent = before;
		}, COPIED);
	}

	/** Shows how to join with an installed game. */
	showClients() {
		if (!this.dialog) {
			const address = this.info?.address ?? location.host;
			const dialog = this.dialog = make('dialog', 'clients');
			dialog.setAttribute('aria-label', 'how to join with a client');
			const copy = make('button', 'address', address);
			copy.type = 'button';
			copy.title = 'Copy the address of the server';
			copy.addEventListener('click', () => this.copy(copy, copy));
			const list = make('ul');
			const teeworlds = make('li'), ddnet = make('li');
			const link = make('a', '', 'Open DDNet'), code = make('code', '', `connect ${address}`);
			link.href = `ddnet://${address}`;
			teeworlds.append(make('strong', '', 'Teeworlds 0.7: '), 'press F1 and type ', code, '.');
			ddnet.append(make('strong', '', 'DDNet: '), link, ', or press F1 and type the same.');
			list.append(teeworlds, ddnet);
			if (/^(localhost|127\.|\[::1\])/.test(address)) list.append(make('li', '', 'This address works on this computer only. Players elsewhere need the address of this computer in their network.'));
			const close = make('button', 'main', 'Close');
			close.type = 'button';
			close.addEventListener('click', () => dialog.close());
			dialog.append(make('h2', '', 'Join with a client'), make('p', '', 'The address of this server:'), copy, list, close);
			document.body.append(dialog);
		}
		this.dialog.showModal();
	}
}
