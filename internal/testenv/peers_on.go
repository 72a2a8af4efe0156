//go:build peers

package testenv

// Peers is true in tests that are built with -tags peers, as in CI. They run real programs, such as
// clients, other servers and browsers, which scripts/peers installs. Tests without other work have
// the tag themselves, because to link them takes a processor most of a minute.
const Peers = true
