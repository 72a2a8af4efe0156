// Package client is a headless Teeworlds client.
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
// It speaks all versions of the protocol that there are bridges for, and finds out by
// asking which one a server does; see [AnyVersion]. What a client can know and ask
// for is the same, as far as the version has it: the packages below bridge tell what
// it has not.
//
// [New] makes the same client without a socket or goroutine, for a game loop, a test
// or a browser. [Session] below it knows how to get into a game and keep up with it.
//
// Nothing that a server sends does harm: sizes are bounded, names of maps become
// harmless names of files, texts lose what would steer a terminal.
package client
