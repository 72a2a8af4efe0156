// Package master is a master server of the Half-Life protocol: the list of game
// servers that clients ask for.
//
//	conn, err := udp.Listen(udp.Config{Port: halflife.DefaultMasterPort})
//	if err != nil {
//		return err
//	}
//	m, err := master.New(master.Config{Send: conn.Send, State: "master.json"})
//	if err != nil {
//		return err
//	}
//	go http.ListenAndServe("localhost:8080", m.Handler())
//	return m.Run(ctx, conn)
//
// # How a server gets on the list
//
// It says hello (q), gets a challenge (s), and sends a heartbeat with it (0). Now
// it is known that the address is no fake, but not that there is a game: the
// master asks for it, and lists the server when it answers. A heartbeat every two
// minutes keeps it there. To take leave (b) is only a reason to ask again, since
// anybody could say it in the name of another. Fakes, ghosts and victims of others
// thus do not get on the list, and one address cannot fill it.
//
// # How clients get the list
//
// With "e", with "1" in the two forms that programs have, or with "c"; see
// halflife.ListRequest. A page is hundreds of times longer than the request, so
// it goes only to addresses that have echoed something. Those who ask by number
// first get a page without servers and with a number that only their address can
// know. Those who ask by address, as with Steam, first get one server, chosen by a
// secret and their address, and have to name it to go on; guessing it gains
// nothing, since the longer the list, the rarer the luck. Local networks get the
// list at once, and only they and those who have just got a list otherwise are
// answered "c".
//
// A Master has no socket, clock or goroutine of its own, except in Run: tests and
// simulations can call Feed and Advance.
package master
