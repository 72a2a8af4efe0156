package main

import (
	"strconv"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/teeyard/teeyard/internal/peers"
)

// freePorts gives a script a UDP port for its server, as $PORT, and one where
// nobody listens, as $NOBODY.
func freePorts(env *testscript.Env) error {
	for _, name := range []string{"PORT", "NOBODY", "SPARE"} {
		port, err := peers.FreePort()
		if err != nil {
			return err
		}
		env.Setenv(name, strconv.Itoa(port))
	}
	return nil
}
