/** Control characters, and characters that change the direction of other texts. */
const UNSAFE = /[\u0000-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]+/g;

/**
 * Returns a stranger's text without characters that could control or hide other texts. The result
 * may still look like HTML.
 * @param {string} text
 */
export function clean(text) {
	return text.replace(UNSAFE, ' ').trim();
}
