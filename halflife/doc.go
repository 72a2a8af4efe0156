// Package halflife speaks the protocols of Half-Life (GoldSrc) servers, on both
// sides: queries, the remote console, and master servers.
package halflife
