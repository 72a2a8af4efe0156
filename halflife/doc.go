// Package halflife speaks the protocols of Half-Life (GoldSrc) servers on both
// sides: text queries and A2S, the remote console with challenges, and master
// servers.
//
// # Answering queries
//
// Any game server can be seen by trackers, panels and admin tools: it implements
// Game and passes the datagrams that arrive on its port to a Server:
//
//	srv, err := halflife.NewServer(halflife.ServerConfig{Game: game, Send: conn.Send})
//	...
//	for _, d := range batch[:n] {
//		if halflife.IsDatagram(d.B) {
//			srv.Feed(d.ReceivedAt, d.Peer, d.Data)
//		} else {
//			game.Feed(d)
//		}
//	}
//
// Server has no socket, clock or goroutine. Answers are encoded once a second and
// then only copied, without allocating.
//
// # Protection against reflection
//
// UDP source addresses can be forged, and a server that answers 10 bytes with 1400
// can be used to flood others. So an address gets at most 1.2 times the bytes it sent
// until it has proved that it receives what is sent to it:
//
//   - A2S has a challenge for that, which all current programs support. A2S_INFO without
//     one, as programs of before 2020 send it, is answered where text queries are.
//   - "details" and the other text queries have none. Local networks get answers
//     within a budget of bytes; see LegacyPolicy for other addresses. Addresses that
//     passed a challenge of A2S or rcon get answers for ten minutes, and so do
//     players, see ServerConfig.IsPlayer.
//   - "challenge rcon" is shorter than its answer. RconClient pads it;
//     other programs get a challenge in local networks, from where
//     RconSettings.AllowedNets says, or with LegacyOn.
//
// # The remote console
//
// A Server with a Console and a password has a remote console. A client asks for a
// challenge and sends it back with the password and a command; what the command
// prints comes in datagrams of whole lines. Nothing is encrypted, and the protocol
// cannot recognise a datagram that the network duplicated: a command may run twice.
// Use a password that opens nothing else, give users who only need to read a second
// one with another level, and list in
// Allow who may log in at all.
//
// The original server bans an address for wrong challenges, so that forged datagrams
// can get anybody banned. Here only requests count that carry a challenge sent to
// that address. After five wrong passwords in half a minute an address is banned
// for 15 minutes, from rcon only: see RconSettings. Guesses are limited per network
// and in all, too, see Limits. The game and the remote console can share a store of bans, see package bans.
// AddIP, RemoveIP, ListIP and WriteIP are the commands that operators of such servers
// know, for games to register.
//
// RconEvent is for the log: it never has a password or more than one line, and under
// attack there is one per address and minute.
//
// # Querying servers
//
// Query asks one server with every method and returns its info, players and rules;
// QueryAll asks many at a limited rate. Answers in several parts are put together,
// fields that old servers leave out stay empty, and texts are safe to show.
// RconClient runs commands. It never sends a command twice: ErrMayHaveRun means that
// no answer came.
//
//	conn, err := udp.Listen(udp.Config{MaxDatagram: halflife.ReceiveBuffer})
//	...
//	status, err := halflife.Query(ctx, conn, server, halflife.QueryConfig{})
//
// # Master servers
//
// FetchList asks a master for its list in any of the existing formats.
// Registrar keeps a game server on the lists of masters; it works through the port
// of the game, as Server does. Package master is the master itself.
//
// # The wire
//
// Every message has an Append and a Parse function without state. Numbers are
// little-endian except for ports in lists. Datagrams from and to game servers begin
// with four bytes FF, requests to masters do not. Parsers accept messages that are
// longer than expected, fail only on other messages, and treat counts as upper
// bounds.
package halflife
