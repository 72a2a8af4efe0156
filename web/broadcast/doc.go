// Package broadcast serves a server's match over HTTP, as a demo in pieces that any cache can
// store. docs/reference/http.md describes the format.
//
//	b := broadcast.New(broadcast.Config{Settings: settings})
//	// b is the server.Config.Broadcast
//	rooms := b.Rooms()
//
// The server's goroutine only fills records, as for a demo, and hands them over. Another goroutine
// encodes them and cuts them into segments of two seconds, each beginning with a keyframe. A
// request decides what is readable: segments that show players are withheld until they are as old
// as the delay.
package broadcast
