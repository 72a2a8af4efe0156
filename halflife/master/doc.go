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
// # How servers are listed
//
// A server requests a challenge (q), gets it (s), and sends a heartbeat with it (0).
// That proves the address. The master then queries the server and lists it when it
// answers. A heartbeat every two minutes keeps it on the list. A shutdown message (b)
// only makes the master query it again, since it may be forged. The number of servers
// per address is limited.
//
// # How clients get the list
//
// Clients send "e", one of the two formats of "1", or "c"; see halflife.ListRequest. A
// page is hundreds of times longer than the request, so it is only sent to addresses
// that have echoed something. Clients that ask by number first get a page without
// servers and with a number that only their address can know. Clients that ask by
// address, as with Steam, first get one server, which depends on a secret and their
// address, and have to name it to go on. Local networks get the list at once. Only they
// and clients that have just got a list in another format get answers to "c".
//
// A Master has no socket, clock or goroutine, except in Run: tests and simulations can
// call Feed and Advance.
package master
