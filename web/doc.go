// Package web is the HTTP listener of a game server. It serves the server's state for monitoring
// and for web pages.
//
//	monitor := web.NewMonitor(settings)
//	// monitor is one of the server.Config.Observers
//	key, err := web.OpenKey("http.key")
//	http := web.NewServer(key.Handler(web.NewHandler(monitor.Rooms()...)))
//	listeners, err := web.Listen(ctx, "localhost", 8303)
//
// The listener's URLs are divided into rooms, each with its own access rule; see [Room] and
// [Access]. Without the [Key] no request counts as coming from the machine's operator. The game
// does not depend on the listener: the [Monitor] watches the server as a [server.Observer] and
// copies its state once a second. Every request is answered from such a copy.
package web
