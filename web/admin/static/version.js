/** The parts of DDNet's release numbers: 16040 is 16.4, and 18091 is 18.9.1. */
const RELEASE = /^(\d+)(\d\d)(\d)$/;

/** The first number of this form. Clients before it, and other clients, count in ways of their own. */
const FIRST_RELEASE = 10_000;

/**
 * The release of a client, such as 0.7.5 or DDNet 16.4.
 * @param {string} version as the server reports it: 705 for 0.7.5, 0.6/16040 for DDNet 16.4
 */
export function clientText(version) {
	const seven = /^([1-9a-f])([0-9a-f]{2})$/.exec(version);
	if (seven) return `0.${parseInt(seven[1], 16)}.${parseInt(seven[2], 16)}`;
	const [, protocol, number] = /^(.*)\/(\d+)$/.exec(version) ?? [];
	if (number === undefined) return version;
	if (number === '0') return protocol;
	const [, major, minor, patch] = Number(number) >= FIRST_RELEASE && RELEASE.exec(number) || [];
	if (major === undefined) return `${protocol}, client ${number}`;
	return `DDNet ${major}.${Number(minor)}${patch === '0' ? '' : `.${patch}`}`;
}
