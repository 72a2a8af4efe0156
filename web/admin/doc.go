// Package admin is the operator's console on the web: a page at /admin, and the API below
// /admin/api that the page, bots and web sites use.
//
//	var settings admin.Settings
//	console := admin.New(admin.Config{Settings: &settings, Web: &webSettings})
//	// settings.Register adds its variables. console is one of server.Config.Observers, and
//	// console.LogHandler() receives the server's log.
//	console.Attach(s, broadcast.Undelayed())
//	http := web.NewServer(web.NewHandler(console.Rooms()...))
//
// Operators sign in with a password of the remote console and have the same rights as there. Every
// action is a console line that the server runs at their level, so it is checked, logged and
// recorded like any other line. Programs use tokens.
//
// The state on the page is copied from the server's goroutine once a second. Log lines and events
// are copied when they occur, and another goroutine formats them. A reader that is too slow loses
// messages, and the stream says so.
package admin
