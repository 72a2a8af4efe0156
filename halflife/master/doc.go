// Package master implements a master server of the Half-Life protocol. A master keeps the list of
// game servers that clients request.
//
//	conn, err := udp.Listen(udp.Config{Port: halflife.DefaultMasterPort})
//	if err != nil {
//		return err
//	}
//	m, err := master.New(master.Config{Send: conn.Send, StateFile: "master.json"})
//	if err != nil {
//		return err
//	}
//	go http.ListenAndServe("localhost:8080", m.Handler())
//	return m.Run(ctx, conn)
//
// # How servers are listed
//
// A game server requests a challenge (q), receives it (s), and sends a heartbeat with it (0). The
// echoed challenge proves the server's address. The master then queries the server and lists it
// when it answers. A heartbeat every two minutes keeps it on the list. A shutdown message (b) may
// be forged, so the master only queries the server again. The number of servers per address is
// limited.
//
// # How clients get the list
//
// Clients send "e", one of the two formats of "1", or "c"; see halflife.ListRequest. A page is
// hundreds of times longer than its request, so a client must first prove its address:
//
//   - A client that requests pages by number first gets a page without servers. Its number for the
//     next page is secret and valid only for the client's address.
//   - A client that requests pages by address, as Steam does, first gets one server. It depends on
//     a secret and the client's address, and the next request must name it.
//   - Local networks get the list at once.
//   - "c" has no second step. Only local networks and clients that recently got a list in another
//     format get an answer.
//
// A Master has no socket, clock or goroutine, except in Run. Tests and simulations call Feed and
// Advance.
package master
