// What somebody types, without a page.
import * as typing from '/play/talk/typing.js';
import { Commands, readable } from '/play/talk/commands.js';
import { completions, outgoing } from '/play/talk/outgoing.js';

const players = ['joanna', 'anna', 'anna b', 'q"\\'].map((name, id) => ({ id, name }));
const commands = new Commands();
for (const name of ['help', 'emote']) commands.update({ name, params: '', help: '', removed: false });
const around = { players, commands, partner: -1 };

export { readable, typing };
export const say = (line, kind = 'all') => outgoing(line, { kind }, around);

export function tab(text) {
	const c = new typing.Completion(), all = [];
	for (let at = text, cursor = text.length; ;) {
		const next = c.next(at, cursor, 1, (t, n) => completions(t, n, around));
		if (!next || all.includes(next.text)) return all;
		all.push(next.text);
		[at, cursor] = [next.text, next.cursor];
	}
}

export function history(lines, moves) {
	const h = new typing.History(10);
	for (const line of lines) h.add(line);
	return moves.map((by) => h.move(by, 'draft'));
}
