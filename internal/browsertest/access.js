// Follows the focus through the controls of a page.
globalThis.tabbing = (() => {
	const CONTROLS = 'a[href], button, input, select, textarea, summary, iframe, [tabindex]';
	const label = (e) => e.tagName.toLowerCase() + (e.id ? '#' + e.id : '') + ' "' + (e.ariaLabel || e.textContent || e.placeholder || '').trim().slice(0, 40) + '"';
	const modal = () => document.querySelector('dialog:modal');

	// The controls that Tab reaches: of radio buttons and tabs, the chosen one.
	const all = () => [...(modal() ?? document).querySelectorAll(CONTROLS)].filter((e) => e.tabIndex >= 0 && !e.disabled && !e.closest('[inert]') &&
		e.checkVisibility({ visibilityProperty: true }) && !(e.type === 'radio' && e.name && !e.checked && document.querySelector(`input[name="${e.name}"]:checked`)));

	let wanted = [], reached = [], faults = [];

	// Whether an element, or a box around it such as its card, differs from how it looks without the
	// focus.
	const looksFocused = (e) => {
		const boxes = [e];
		while (boxes.length < 4 && boxes.at(-1).parentElement) boxes.push(boxes.at(-1).parentElement);
		const looks = () => boxes.map((b) => getComputedStyle(b)).map((s) => [s.outlineStyle === 'none' ? '' : s.outlineWidth + s.outlineColor, s.boxShadow, s.borderColor].join()).join();
		const focused = looks();
		e.blur();
		const plain = looks();
		e.focus({ preventScroll: true });
		return focused !== plain;
	};

	return {
		begin() {
			wanted = all();
			reached = [];
			faults = [];
			document.activeElement?.blur();
			const start = modal() ?? document.body;
			if (!start.hasAttribute('tabindex')) {
				start.tabIndex = -1;
				start.focus({ preventScroll: true });
				start.removeAttribute('tabindex');
			}
			getSelection()?.removeAllRanges();
			return wanted.length + 1;
		},
		step() {
			const e = document.activeElement;
			if (!e || e === document.body || reached.includes(e)) return;
			reached.push(e);
			if (e.tagName !== 'IFRAME' && !looksFocused(e)) faults.push(`${label(e)} does not look focused`);
		},
		faults() {
			for (const e of wanted) if (!reached.includes(e) && e.checkVisibility()) faults.push(`Tab does not reach ${label(e)}`);
			for (let i = 1; i < reached.length; i++) {
				if (reached[i - 1].compareDocumentPosition(reached[i]) & Node.DOCUMENT_POSITION_PRECEDING) faults.push(`${label(reached[i])} comes after ${label(reached[i - 1])}`);
			}
			if (reached.length === 0) faults.push('Tab reaches nothing');
			return faults;
		},
	};
})()
