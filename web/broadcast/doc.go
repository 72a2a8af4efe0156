// Package broadcast shows the match of a server over HTTP, as a demo in pieces that any cache
// can hand on. docs/reference/http.md has the format.
//
//	b := broadcast.New(broadcast.Config{Settings: settings})
//	// b is the server.Config.Broadcast
//	rooms := b.Rooms()
//
// The server's goroutine only fills records, as for a demo, and hands them over. Another one
// encodes them and cuts them into segments of two seconds, each of which begins with a keyframe. What is
// readable is decided when somebody asks: segments with people are withheld until they are as old as the delay.
package broadcast
