package udp_test

import (
	"errors"
	"testing"

	"github.com/teeyard/teeyard/transport"
	"github.com/teeyard/teeyard/transport/udp"
)

func TestResolve(t *testing.T) {
	for in, want := range map[string]string{
		"127.0.0.1":        "127.0.0.1:8303",
		"127.0.0.1:8304":   "127.0.0.1:8304",
		"::1":              "[::1]:8303",
		"[::1]:8304":       "[::1]:8304",
		"[::1]":            "[::1]:8303",
		"[fe80::1%lo]":     "[fe80::1%lo]:8303",
		"::ffff:127.0.0.1": "127.0.0.1:8303",
		"localhost:8305":   "127.0.0.1:8305",
	} {
		got, err := udp.Resolve(t.Context(), in, 8303)
		if err != nil || got != transport.MustParsePeer(want) {
			t.Errorf("%q is %v, %v", in, got, err)
		}
	}
	for _, in := range []string{"", ":8303", "127.0.0.1:0", "127.0.0.1:65536", "127.0.0.1:port", "[::1", "::1]", "[127.0.0.1]", "[]"} {
		if got, err := udp.Resolve(t.Context(), in, 8303); !errors.Is(err, udp.ErrAddress) {
			t.Errorf("%q is %v, %v", in, got, err)
		}
	}
}
