// Package web is the HTTP listener of a game server: its state for monitoring and for web
// pages.
//
//	monitor := web.NewMonitor(settings)
//	// monitor is one of the server.Config.Observers
//	key, err := web.OpenKey("http.key")
//	http := web.NewServer(key.Handler(web.NewHandler(monitor.Rooms()...)))
//	listeners, err := web.Listen(ctx, "localhost", 8303)
//
// What it serves is divided into rooms, each with an access rule of its own; see [Room] and
// [Access]. Without the [Key] no request counts as one of the operator's machine. The game does not know the listener: the [Monitor] watches it as a
// [server.Observer] and copies its state once a second. Whoever asks, and however often or
// slowly, gets copies.
package web
