// Package client is a headless Teeworlds 0.7 client.
//
// [Dial] joins a server and returns a [Client] that runs by itself: it downloads
// the map, keeps up with the world, predicts, times inputs, and tells what happens.
//
//	c, err := client.Dial(ctx, "localhost", client.Config{Name: "echo"})
//	if err != nil {
//		return err
//	}
//	defer c.Close()
//	for e := range c.Events(ctx) {
//		if chat, ok := e.(client.Chat); ok && chat.From.ID != c.Self() {
//			c.Say(chat.Text)
//		}
//	}
//
// [New] makes the same client without a socket or goroutine, for a game loop, a test
// or a browser. [Session] below it knows messages and snapshots only.
//
// Nothing that a server sends does harm: sizes are bounded, names of maps become
// harmless names of files, texts lose what would steer a terminal.
package client
