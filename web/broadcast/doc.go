// Package broadcast serves a server's match over HTTP, as a demo in pieces that any cache can
// store. docs/reference/http.md describes the format.
//
//	b := broadcast.New(broadcast.Config{Settings: settings})
//	// b is the server.Config.Broadcast
//	rooms := b.Rooms()
//
// The server's goroutine only fills records, as for a demo, and hands them over. Another goroutine
// encodes them and cuts them into segments of two seconds, each beginning with a keyframe. The
// time of a request decides which segments it may read: segments that show players are withheld
// until they are as old as the delay.
//
// Viewers change nothing in the server's loop, except for one flag: the bots of sv_bots play while
// there are viewers, and the loop wakes up for them.
//
// # Segments and demos
//
// A server that broadcasts and records a demo has two recorders and encodes twice. Demos cannot be
// made of segments: a demo begins when an operator types record, continues without viewers, has two
// formats, and exists on servers with a password and without a broadcast. Sharing the recorder
// would save 12 us of a tick with 64 players.
//
// A segment needs no other segment, so a viewer who joins or seeks loads one. The price is a
// keyframe in every segment, not one every five seconds as in demos. That is 20 % more bytes, 38
// kB/s instead of 32. With gzip, as viewers get it, a match has 29 kB/s:
//
//	go test ./web/broadcast -run '^$' -bench Size -benchtime 1x
package broadcast
