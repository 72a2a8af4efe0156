//go:build oracle

package game_test

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/teeyard/teeyard/internal/testenv"
)

// TestOriginal runs the original's rules beside ours. TEEYARD_ORACLE is the
// program to run, see testdata/oracle; TEEYARD_ORACLE_SEEDS how many further
// matches to play; with TEEYARD_ORACLE_RECORD the checksums are written anew.
func TestOriginal(t *testing.T) {
	oracle := os.Getenv("TEEYARD_ORACLE")
	if oracle == "" {
		t.Fatal("TEEYARD_ORACLE does not name the program")
	}
	runs := append([]oracleRun(nil), oracleRuns...)
	more := 0
	fmt.Sscan(os.Getenv("TEEYARD_ORACLE_SEEDS"), &more)
	for i := range more {
		o := oracleRuns[i%len(oracleRuns)]
		o.seed, o.ticks, o.players = uint64(1000+i), 6000, 2+i%15
		o.name = fmt.Sprintf("%s seed %d", o.name, o.seed)
		runs = append(runs, o)
	}
	for i, o := range runs {
		t.Run(o.name, func(t *testing.T) {
			reports, script := o.play(t)
			cmd := exec.Command(oracle)
			cmd.Stdin = bytes.NewReader(script)
			out := testenv.Must(cmd.Output())
			want := readOracle(string(out))
			if len(want) != len(reports) {
				t.Fatalf("the original played %d ticks, we %d", len(want), len(reports))
			}
			for tick := range want {
				if d := difference(reports[tick], want[tick]); d != "" {
					t.Fatalf("tick %d:\n%s", tick+1, d)
				}
			}
			if i < len(oracleRuns) && os.Getenv("TEEYARD_ORACLE_RECORD") != "" {
				testenv.NoError(t, os.WriteFile(o.golden(), []byte(checksums(want)), 0o644))
			}
		})
	}
}

// difference returns the lines that only one of two reports has.
func difference(ours, theirs report) string {
	if strings.Join(ours, "\n") == strings.Join(theirs, "\n") {
		return ""
	}
	count := map[string]int{}
	for _, l := range ours {
		count[l]++
	}
	for _, l := range theirs {
		count[l]--
	}
	var b strings.Builder
	for _, l := range ours {
		if count[l] > 0 {
			fmt.Fprintln(&b, "ours  ", l)
		}
	}
	for _, l := range theirs {
		if count[l] < 0 {
			fmt.Fprintln(&b, "theirs", l)
		}
	}
	if b.Len() == 0 {
		return "the order differs"
	}
	return b.String()
}

// readOracle parses the oracle's output.
func readOracle(out string) []report {
	var all []report
	var told, seen report
	lastKill := ""
	for _, line := range strings.Split(out, "\n") {
		f := strings.Fields(line)
		if len(f) == 0 {
			continue
		}
		switch f[0] {
		case "T": // ends the tick
			seen.sortFrom(0)
			all = append(all, append(told, seen...))
			told, seen, lastKill = nil, nil, ""
		case "KICK":
			told = append(told, line)
		case "M":
			l := message(f)
			// Each player is sent a copy of these.
			if copied := strings.HasPrefix(l, "KILL") || strings.HasPrefix(l, "CHAT 2") || strings.HasPrefix(l, "CHAT 3"); l != "" &&
				(!copied || l != lastKill) {
				told = append(told, l)
			}
			lastKill = l
		case "I":
			var typ, id int
			fmt.Sscan(f[1], &typ)
			fmt.Sscan(f[2], &id)
			if typ == 11 {
				f = f[:len(f)-1] // the latency
			}
			seen.linef("I %02d %05d %s", typ, id, strings.Join(f[3:], " "))
		case "N":
			seen.linef("N %s [%s]", f[1], strings.Join(f[2:], " "))
		default:
			seen = append(seen, line)
		}
	}
	return all
}

// message returns the line of a message to a client, or "" for messages that are not compared. The
// fields are M, client, header, bytes.
func message(f []string) string {
	raw, err := hex.DecodeString(strings.Join(f[3:], ""))
	if err != nil {
		return ""
	}
	v := varints(raw)
	switch v[0] >> 1 {
	case 3:
		return fmt.Sprintf("CHAT %d %d", v[1], v[2])
	case 4:
		return fmt.Sprintf("TEAM %v", v[1:])
	case 5:
		return fmt.Sprintf("KILL %v", v[1:])
	case 9:
		return fmt.Sprintf("WEAPON %s %v", f[1], v[1:])
	case 10:
		return fmt.Sprintf("EMOTICON %v", v[1:])
	case 21:
		return fmt.Sprintf("NOTICE %s %v", f[1], v[1:])
	}
	return ""
}

// varints decodes the numbers of a message.
func varints(b []byte) []int32 {
	var v []int32
	for len(b) > 0 {
		sign, x, shift := int32(b[0]>>6)&1, int32(b[0]&0x3f), 6
		for b[0]&0x80 != 0 && len(b) > 1 {
			b = b[1:]
			x |= int32(b[0]&0x7f) << shift
			shift += 7
		}
		b = b[1:]
		v = append(v, x^-sign)
	}
	return v
}
