/**
 * The names of keys and buttons, as they are printed on the player's keyboard if that is known.
 *
 * @module
 */

/** @type {Record<string, string>} */
const NAMES = {
	ArrowLeft: 'Left', ArrowRight: 'Right', ArrowUp: 'Up', ArrowDown: 'Down', Escape: 'Esc', Enter: 'Enter', Pause: 'Pause',
	Mouse0: 'Mouse left', Mouse1: 'Mouse middle', Mouse2: 'Mouse right', Mouse3: 'Mouse back', Mouse4: 'Mouse forward',
	WheelUp: 'Wheel up', WheelDown: 'Wheel down',
	Pad0: 'Pad A', Pad1: 'Pad B', Pad2: 'Pad X', Pad3: 'Pad Y', Pad4: 'Left bumper', Pad5: 'Right bumper', Pad6: 'Left trigger', Pad7: 'Right trigger',
	Pad8: 'Pad Back', Pad9: 'Pad Start', Pad10: 'Left stick', Pad11: 'Right stick', Pad12: 'Pad up', Pad13: 'Pad down', Pad14: 'Pad left', Pad15: 'Pad right',
	Pad16: 'Pad Home',
	NumpadAdd: 'Num +', NumpadSubtract: 'Num -', NumpadMultiply: 'Num *', NumpadDivide: 'Num /', NumpadDecimal: 'Num .', NumpadEnter: 'Num Enter',
	// as on a keyboard of the United States
	Minus: '-', Equal: '=', BracketLeft: '[', BracketRight: ']', Backslash: '\\', Semicolon: ';', Quote: "'", Backquote: '`', Comma: ',', Period: '.', Slash: '/',
};

/** The characters of the player's keyboard by code. @type {Map<string, string>} */
const printed = new Map();

/** Reads the layout of the keyboard, where the browser tells it. */
export async function readLayout() {
	try {
		const layout = await /** @type {any} */ (navigator).keyboard?.getLayoutMap();
		for (const [code, key] of layout ?? []) printed.set(code, key);
	} catch {
		// a frame that may not: the keys that the player presses tell
	}
}

/** Learns the character of a key that is pressed. @param {KeyboardEvent} e */
export function learnKey(e) {
	if (e.key.length === 1 && e.key !== ' ' && !e.shiftKey && !e.ctrlKey && !e.altKey && !e.code.startsWith('Numpad')) printed.set(e.code, e.key);
}

/** Returns the name of a code. @param {string} code */
export function label(code) {
	const key = printed.get(code);
	if (key && key.trim()) return key.toUpperCase();
	if (NAMES[code]) return NAMES[code];
	const [, name, rest] = /^(Key|Digit|Numpad|Mouse|Pad)(.+)$/.exec(code) ?? [];
	if (name === 'Key' || name === 'Digit') return rest;
	if (name) return `${name === 'Numpad' ? 'Num' : name} ${rest}`;
	const [, side, end] = /^(.+?)(Left|Right)$/.exec(code) ?? [];
	return side ? `${end} ${side === 'Control' ? 'Ctrl' : side}` : code;
}
