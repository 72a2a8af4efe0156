(() => {
	const faults = [];
	const name = (e) => `${e.tagName.toLowerCase()}${e.id ? '#' + e.id : ''}${e.className ? '.' + e.className : ''} ${JSON.stringify((e.getAttribute('aria-label') || e.textContent || '').slice(0, 40))}`;
	const own = (e) => [...e.childNodes].some((n) => n.nodeType === Node.TEXT_NODE && n.data.trim()) || e.matches('button, input, select, canvas, iframe');

	/** The part of the window in which an element can be seen, and whether scrolling shows more of it. */
	const windowOf = (e) => {
		const box = { left: 0, top: 0, right: innerWidth, bottom: innerHeight, scrollX: false, scrollY: false };
		for (let a = e; a; a = getComputedStyle(a).position === 'fixed' ? null : a.parentElement) {
			if (a === e) continue;
			const s = getComputedStyle(a), r = a.getBoundingClientRect();
			const clips = (overflow) => overflow !== 'visible';
			if (a === document.documentElement || a === document.body) {
				box.scrollY ||= s.overflowY !== 'hidden';
				continue;
			}
			if (clips(s.overflowX)) { box.left = Math.max(box.left, r.left); box.right = Math.min(box.right, r.right); box.scrollX ||= /auto|scroll/.test(s.overflowX); }
			if (clips(s.overflowY)) { box.top = Math.max(box.top, r.top); box.bottom = Math.min(box.bottom, r.bottom); box.scrollY ||= /auto|scroll/.test(s.overflowY); }
		}
		return box;
	};

	if (document.documentElement.scrollWidth > innerWidth) faults.push(`the page is ${document.documentElement.scrollWidth} pixels wide`);
	const dialog = document.querySelector('dialog:modal');
	for (const e of (dialog ?? document).querySelectorAll('*')) {
		if (!own(e) || e.matches('option, script, style') || !e.checkVisibility({ visibilityProperty: true, opacityProperty: true })) continue;
		const style = getComputedStyle(e);
		let r = e.getBoundingClientRect();
		if (r.width <= 1 || r.height <= 1 || style.clipPath !== 'none') continue; // for screen readers only
		if (!e.matches('input, select, textarea') && style.overflowX === 'hidden' && style.textOverflow !== 'ellipsis' && e.scrollWidth > e.clientWidth + 1) faults.push(`${name(e)} is cut`);
		const w = windowOf(e);
		if (!w.scrollX && (r.left < w.left - 1 || r.right > w.right + 1)) faults.push(`${name(e)} is beyond the edge: ${Math.round(r.left)} to ${Math.round(r.right)} of ${Math.round(w.left)} to ${Math.round(w.right)}`);
		if (!w.scrollY && (r.top < w.top - 1 || r.bottom > w.bottom + 1)) faults.push(`${name(e)} is beyond the edge: ${Math.round(r.top)} to ${Math.round(r.bottom)} of ${Math.round(w.top)} to ${Math.round(w.bottom)}`);
		const text = document.createRange();
		text.selectNodeContents(e);
		if (!e.matches('button, input, select, canvas, iframe')) r = text.getClientRects()[0] ?? r;
		const x = r.left + r.width / 2, y = r.top + r.height / 2;
		if (style.pointerEvents === 'none' || x < w.left || x > w.right || y < w.top || y > w.bottom) continue; // scrolled away
		const top = document.elementFromPoint(x, y);
		if (top && !e.contains(top) && !top.contains(e)) faults.push(`${name(top)} covers ${name(e)}`);
	}
	return faults;
})()
