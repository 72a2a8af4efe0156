//go:build !unix

package fifo

import (
	"errors"
	"os"
)

func open(string) (*os.File, error) {
	return nil, errors.New("this system has no named pipes in folders; send commands by rcon, the external console or HTTP")
}
