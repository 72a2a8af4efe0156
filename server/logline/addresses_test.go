package logline_test

import (
	"testing"

	"github.com/teeyard/teeyard/server/logline"
)

func TestHideAddresses(t *testing.T) {
	for line, want := range map[string]string{
		"[12:34:56][server]: id=0 addr=1.2.3.4:5000 client=0.7.5 name='a.b'": "[12:34:56][server]: id=0 addr=XXX client=0.7.5 name='a.b'",
		"addr=<{1.2.3.4:5000}> and [2001:db8::1]:8303, ws://[::1]:1":         "addr=<{XXX}> and XXX, ws://XXX",
		"ban 1.2.3.4 - 1.2.3.9, 10.0.0.0/8 and 2001:db8::1/64.":              "ban XXX - XXX, XXX/8 and XXX/64.",
		"'1.2.3.4' banned for 5 minutes: see 10.1.1.1.":                      "'XXX' banned for 5 minutes: see XXX.",
		"std::map, 1:2, ::, 12:34:56, face.bee, [5] and [::x]":               "std::map, 1:2, ::, 12:34:56, face.bee, [5] and [::x]",
		"addr:1.2.3.4:5, ffff:1.2.3.4":                                       "addr:XXX, ffff:XXX",
		"::ffff:1.2.3.4 ::1 fe80::1%eth0 f.1.2.3.4":                          "XXX XXX XXX%eth0 f.XXX",
		"no address": "no address",
		"":           "",
	} {
		if got := logline.HideAddresses(line); got != want {
			t.Errorf("HideAddresses(%q)\n got %q\nwant %q", line, got, want)
		}
	}
}
