/**
 * The search while typing, the keys, and the lists that are open in wide windows.
 *
 * @module
 */

const form = document.querySelector('form');
const input = form.querySelector('input');
const results = document.querySelector('#results');

/** The wait after a key before a search, in ms. */
const PAUSE = 120;

let timer = 0;
let asked = '';

/** Shows the results of the words in the field. */
async function search() {
	const query = input.value.trim();
	asked = query;
	if (query === '') {
		results.hidden = true;
		return;
	}
	const answer = await fetch(`/search?part&q=${encodeURIComponent(query)}`).catch(() => null);
	if (query !== asked) {
		return; // the reader went on typing
	}
	if (answer?.ok) {
		results.innerHTML = await answer.text(); // the server escapes all texts
	} else {
		results.textContent = 'The search gets no answer. Is teeyard docs still running?';
	}
	results.hidden = query !== asked || document.activeElement !== input && !results.contains(document.activeElement);
}

input.addEventListener('input', () => {
	clearTimeout(timer);
	timer = setTimeout(search, PAUSE);
});
input.addEventListener('focus', () => {
	results.hidden = results.childElementCount === 0 || input.value.trim() === '';
});
form.addEventListener('focusout', (e) => {
	if (!form.contains(e.relatedTarget)) {
		results.hidden = true;
	}
});
form.addEventListener('keydown', (e) => {
	const links = [...results.querySelectorAll('a')];
	const at = links.indexOf(document.activeElement);
	if (e.key === 'Escape') {
		results.hidden = true;
		input.focus();
		results.hidden = true;
	} else if (e.key === 'ArrowDown' && !results.hidden && links.length > 0) {
		links[Math.min(at + 1, links.length - 1)].focus();
	} else if (e.key === 'ArrowUp' && at >= 0) {
		(links[at - 1] ?? input).focus();
	} else {
		return;
	}
	e.preventDefault();
});
results.addEventListener('click', (e) => {
	if (e.target.closest('a')) {
		results.hidden = true; // the page may stay the same
	}
});
addEventListener('keydown', (e) => {
	const typing = e.target instanceof HTMLInputElement;
	if (e.key === '/' && !typing && !e.ctrlKey && !e.metaKey && !e.altKey || e.key === 'k' && (e.ctrlKey || e.metaKey)) {
		e.preventDefault();
		input.focus();
		input.select();
	}
});

/** Opens a list in wide windows and closes it in narrow ones. */
function openIn(details, query) {
	const wide = matchMedia(query);
	const set = () => { details.open = wide.matches; };
	wide.addEventListener('change', set);
	set();
}
openIn(document.querySelector('#pages'), '(min-width: 900px)');
const toc = document.querySelector('#toc');
if (toc) {
	openIn(toc, '(min-width: 1200px)');
}
document.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest' });
