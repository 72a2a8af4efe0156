((selector) => {
	/** How far parts may reach into each other, in pixels. */
	const SLACK = 1;
	const nameOf = (e) => `${e.localName}${e.id ? '#' + e.id : ''}${e.className ? '.' + e.className : ''}`;
	const found = [];
	const all = [...document.querySelectorAll(selector)].filter((e) => e.checkVisibility({ visibilityProperty: true }) && e.getBoundingClientRect().width > 0 && e.getBoundingClientRect().height > 0);
	const boxes = all.map((e) => e.getBoundingClientRect());
	all.forEach((e, i) => {
		const a = boxes[i];
		if (a.left < -SLACK || a.right > innerWidth + SLACK) found.push(`${nameOf(e)} leaves the window`);
		if (e.localName === 'button' && e.scrollWidth > e.clientWidth + SLACK && getComputedStyle(e).overflow === 'hidden' && e.className !== 'server') found.push(`${nameOf(e)} is cut`);
		for (let k = 0; k < i; k++) {
			const b = boxes[k];
			if (all[k].contains(e) || e.contains(all[k])) continue;
			const [w, h] = [Math.min(a.right, b.right) - Math.max(a.left, b.left), Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top)];
			if (w > SLACK && h > SLACK) found.push(`${nameOf(all[k])} overlaps ${nameOf(e)} by ${Math.round(w)} × ${Math.round(h)}`);
		}
	});
	return found;
})
