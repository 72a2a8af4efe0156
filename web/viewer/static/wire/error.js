/**
 * A fault in data from the network or a file. Readers throw no other error, whatever the data.
 */
export class WireError extends Error {
	/** @param {string} message */
	constructor(message) {
		super(message);
		this.name = 'WireError';
	}
}
