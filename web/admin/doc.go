// Package admin is the operator's console on the web: a page at /admin, and the API under
// /admin/api that the page, bots and sites use.
//
//	var settings admin.Settings
//	console := admin.New(admin.Config{Settings: &settings, Web: &webSettings})
//	// settings.Register adds its variables, console is one of the server.Config.Observers, and
//	// console.LogHandler() gets what the server logs
//	console.Attach(s, broadcast.Undelayed())
//	http := web.NewServer(web.NewHandler(console.Rooms()...))
//
// Who has a password of the remote console signs in with it, and may do here what they may do
// there: every action is a console line that the server runs with their level, so that it is
// checked, logged and recorded as any other. Programs have tokens.
//
// What the page shows is copied from the server's goroutine once a second; log lines and
// events are copied as they come, and others turn them into text. A reader who is too slow loses some,
// and is told so.
package admin
