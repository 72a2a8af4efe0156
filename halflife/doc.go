// Package halflife implements the protocols of Half-Life (GoldSrc) servers, for servers and
// clients: text queries and A2S, the remote console with challenges, and master servers.
//
// # Answering queries
//
// Trackers, panels and admin tools can query any game server that implements Game and passes the
// datagrams from its port to a Server:
//
//	srv, err := halflife.NewServer(halflife.ServerConfig{Game: game, Send: conn.Send})
//	...
//	for _, d := range batch[:n] {
//		if wire.IsDatagram(d.Data) {
//			srv.Feed(d.ReceivedAt, d.Peer, d.Data)
//		} else {
//			game.Feed(d)
//		}
//	}
//
// Server has no socket, clock or goroutine. A Server encodes its answers once a second. Sending an
// answer only copies it, without allocating.
//
// # Protection against reflection
//
// UDP source addresses can be forged. An attacker could use a server that answers 10 bytes with
// 1400 bytes to flood a third party. So an address gets at most 1.2 times the bytes that it sent
// until it has proved that it receives the answers:
//
//   - A2S has a challenge for this purpose, which all current programs support. Programs from
//     before 2020 send A2S_INFO without one. Such a request is answered where text queries are.
//   - "details" and the other text queries have no challenge. Local networks get answers within a
//     budget of bytes. LegacyPolicy decides about other addresses. An address that passed an A2S or
//     rcon challenge gets answers for ten minutes. Addresses of players always do, see
//     ServerConfig.IsPlayer.
//   - "challenge rcon" is shorter than its answer. RconClient pads the request. Other programs get
//     a challenge in local networks, from addresses in RconSettings.AllowedNets, and with LegacyOn.
//
// # The remote console
//
// A Server with a Console and a password has a remote console. A client requests a challenge and
// sends it back with the password and a command. The output of the command comes in datagrams of
// whole lines. Nothing is encrypted. The protocol cannot recognise a duplicated datagram, so a
// command may run twice. Use a password that opens nothing else. Give users who only need to read a
// second password with another level. List in RconSettings.AllowedNets the networks that may log
// in.
//
// The original server bans an address for wrong challenges, so an attacker with forged datagrams
// can get any address banned. This server only counts requests with a challenge that it sent to
// that address. Five wrong passwords within half a minute ban an address for 15 minutes, from rcon
// only; see RconSettings. Limits also bounds the guesses per network and in total. The game and the
// remote console can share a store of bans, see package bans. AddIP, RemoveIP, ListIP and WriteIP
// implement the console commands of Half-Life servers that manage bans. A game can add these
// commands to its console.
//
// RconEvent is for the log. Such an event never contains a password or a line break. During an
// attack there is one event per address and minute.
//
// # Querying servers
//
// Query sends one server requests in every format and returns its info, players and rules. QueryAll
// queries many servers at a limited rate. Query and QueryAll reassemble split answers. Fields that
// old servers leave out stay empty, and texts are safe to show. RconClient runs commands. It never
// sends a command twice: ErrMayHaveRun means that no answer came.
//
//	conn, err := udp.Listen(udp.Config{MaxDatagram: halflife.ReceiveBuffer})
//	...
//	status, err := halflife.Query(ctx, conn, server, halflife.QueryConfig{})
//
// # Master servers
//
// FetchList requests the list of a master in any of the existing formats. Registrar keeps a game
// server on the lists of masters. Like Server, it sends and receives through the port of the game.
// Package master implements the master itself.
//
// Package wire has the messages themselves, such as the Info, Player and Rule that a Game returns
// and Query reads.
package halflife
