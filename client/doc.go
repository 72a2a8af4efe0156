// Package client is a headless Teeworlds client.
//
// [Dial] joins a server and returns a [Client] that runs by itself: it downloads the map, follows
// the world, predicts, times inputs, and reports events.
//
//	c, err := client.Dial(ctx, "localhost", client.Config{Name: "echo"})
//	if err != nil {
//		return err
//	}
//	defer c.Close()
//	for e := range c.Events(ctx) {
//		if chat, ok := e.(event.Chat); ok && chat.From.ID != c.Self() {
//			c.Say(chat.Text)
//		}
//	}
//
// The client speaks all protocol versions and DDNet's extensions, and detects the version of a
// server; see [AnyVersion]. The packages below bridge list the features that a version lacks.
//
// [New] returns the same client without a socket and a goroutine, for a game loop, a test or a
// browser. [Session] is the underlying connection.
//
// The client does not trust servers. All sizes are limited, file names consist of harmless
// characters, and control characters are removed from texts.
//
// # Maps
//
// A server may send a map that is made to take much memory. The client reads only the layers that
// the rules need, and at most 16 MB plus 64 times the size of the file. A text may have 64 KB, and
// the settings 256 KB plus 32 times the size of the file. The client rejects larger ones before it
// decompresses them.
package client
