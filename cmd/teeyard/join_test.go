package main

import (
	"strconv"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/teeyard/teeyard/transport/udp"
)

// freePorts gives a script a UDP port for its server, as $PORT, and one where
// nobody listens, as $NOBODY.
func freePorts(env *testscript.Env) error {
	for _, name := range []string{"PORT", "NOBODY", "SPARE"} {
		c, err := udp.Listen(udp.Config{Addr: "127.0.0.1"})
		if err != nil {
			return err
		}
		defer c.Close()
		env.Setenv(name, strconv.Itoa(int(c.LocalAddr().Port())))
	}
	return nil
}
