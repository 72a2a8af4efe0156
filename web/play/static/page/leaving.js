/**
 * Asks a player in a match before a link of the frame leaves it.
 *
 * @module
 */

import { make } from '../../viewer/page/dom.js';

/** @param {import('./game.js').Game} game */
export function askBeforeLinks(game) {
	const dialog = make('dialog', 'clients'), row = make('div', 'row'), stay = make('button', 'main', 'Stay'), leave = make('button', '', 'Leave the match');
	dialog.setAttribute('aria-label', 'leave the match');
	stay.type = leave.type = 'button';
	stay.addEventListener('click', () => dialog.close());
	leave.addEventListener('click', () => location.assign(target));
	row.append(stay, leave);
	dialog.append(make('p', '', 'You are in the match. This page leaves it.'), row);
	document.body.append(dialog);
	let target = '';
	game.head.box.addEventListener('click', (e) => {
		const a = e.target instanceof Element ? e.target.closest('a') : null;
		if (!a || !game.connection.engine || e.ctrlKey || e.metaKey || e.shiftKey) return;
		e.preventDefault();
		if (a.hasAttribute('aria-current')) game.overlays.close();
		else {
			target = a.href;
			dialog.showModal();
			stay.focus();
		}
	});
}
