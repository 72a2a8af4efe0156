import { el } from './dom.js';

/**
 * The match without delay: the spectators' page, which requests what only operators may see. It is
 * loaded only while it is shown.
 * @returns {import('./main.js').Panel}
 */
export function livePanel() {
	const element = el('section', { class: 'fill' });
	return {
		id: 'live', title: 'Live', element,
		show: () => { if (!element.firstChild) element.append(el('iframe', { class: 'live', title: 'The match, live', src: './?operator', allow: 'fullscreen' })); },
		hide: () => element.replaceChildren(),
	};
}
