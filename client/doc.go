// Package client is a headless Teeworlds client.
//
// [Dial] joins a server and returns a [Client] that runs by itself: it downloads
// the map, follows the world, predicts, times inputs, and reports events.
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
// It speaks all versions of the protocol and DDNet's extensions, and finds out which of
// them a server speaks; see [AnyVersion]. The packages below bridge list what a version lacks.
//
// [New] makes the same client without a socket and a goroutine, for a game loop, a test
// or a browser. [Session] is the connection below it.
//
// Servers are not trusted: all sizes have limits, file names are made from harmless
// characters, and control characters are removed from texts.
package client
