// Package halflife speaks the protocols of Half-Life (GoldSrc) servers on both
// sides: queries in text and A2S, the remote console with challenge, and master
// servers. It needs nothing else of this module but transport, which moves the
// datagrams.
//
// # A server that can be asked
//
// Any game server can be seen by trackers, panels and admin tools. It says what
// it is, by implementing Game, and passes on what arrives on its port:
//
//	srv, err := halflife.NewServer(halflife.ServerConfig{Game: game, Send: conn.Send})
//	...
//	for _, d := range batch[:n] {
//		if halflife.IsDatagram(d.B) {
//			srv.Feed(d.At, d.Peer, d.B)
//		} else {
//			game.Feed(d)
//		}
//	}
//
// Server has no socket, clock or goroutine. Answers are encoded once a second and
// then only sent: a core gives millions of them per second and allocates nothing.
//
// # Who gets what
//
// UDP addresses can be faked, and a server that sends 1400 bytes for 10 is a
// weapon. So nobody gets more than 1.2 times what they sent unless they have
// shown that they are at their address:
//
//   - A2S has a challenge for that. All programs of today know it.
//   - "details" and the other queries in text have none. Local networks get them
//     answered, within a budget of bytes; see Legacy for the rest of the world.
//     Whoever passed a challenge of A2S or rcon gets them for ten minutes, and so
//     do players, see ServerConfig.Known.
//   - "challenge rcon" is shorter than its answer. RconClient makes it longer;
//     other programs get a challenge in local networks, from where
//     RconSettings.Allow says, or with LegacyOn.
//
// # The remote console
//
// With a Console and a password there is rcon. A client asks for a challenge and
// sends it back with the password and a command; what the command prints comes
// in datagrams that end with lines. Both directions are readable by anybody on
// the way, and the protocol cannot tell a datagram that was sent from one that the
// network doubled: a command may run twice. Use a password that opens nothing
// else, give those who only look a second one with another level, and list in
// Allow who may log in at all.
//
// The old protocol bans whoever sends a wrong challenge, and thus anybody in whose
// name that is sent. Here nothing counts that does not carry a challenge sent to
// that address. After five wrong passwords in half a minute an address is banned
// for 15 minutes, from rcon alone: all of this is in RconSettings. Guesses are
// bounded per network, too. The store of bans is an interface that a game can
// share, Bans; BanList implements it in memory and in a file. AddIP, RemoveIP,
// ListIP and WriteIP are the commands that operators know, for games to register.
//
// RconEvent is for the log: who did what, never a password, never more than one
// line, and under attack one per address and minute.
//
// # Asking servers
//
// Query asks one server in every way and returns what it is, who plays and what
// the rules are; QueryAll does so for many at a pace. Answers that are split come
// whole, fields that old servers leave out stay empty, and texts are cleaned of
// what steers terminals. RconClient runs commands. None is ever sent twice, since
// nobody knows whether it ran: ErrMayHaveRun says so.
//
//	conn, err := udp.Listen(udp.Config{MaxDatagram: halflife.ReceiveBuffer})
//	...
//	status, err := halflife.Query(ctx, conn, server, halflife.QueryConfig{})
//
// # Master servers
//
// FetchList asks a master for its list in any of the forms that there are.
// Registrar keeps a game server on the lists of masters; it works through the port
// of the game, as Server does. Package master is the master itself.
//
// # The wire
//
// Everything has an Append and a Parse function without state, for programs with
// other plans. Numbers are little-endian but for ports in lists. Datagrams of game
// servers begin with four bytes of FF in both directions, requests to masters do
// not. Parsers never fail on what is too long or too much, only on what is no
// answer at all, and hold counts to be upper bounds.
package halflife
