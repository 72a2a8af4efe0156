//go:build !linux

package ws

import (
	"net"

	"github.com/teeyard/teeyard/transport"
)

// poller is only for Linux.
type poller struct{}

func newPoller(transport.Conn) *poller { return nil }
func (*poller) poll()                  {}
func (*poller) close()                 {}

type direct struct{}

func (*direct) flush() {}

func (*Hub) serveDirectly(*socket, net.Conn, []byte) bool { return false }
