package app

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"os"
	"strings"
	"testing"

	"github.com/teeyard/teeyard/format/demo"
	"github.com/teeyard/teeyard/internal/testenv"
)

// verdict names the exit status of a command that read a recording.
func verdict(err error) string {
	switch {
	case err == nil:
		return "whole"
	case isCutOff(err):
		return "cut off"
	}
	return "damaged"
}

// TestCommandsAgree checks that all commands give the same verdict on each kind of recording:
// whole, cut short, and with flipped bits.
func TestCommandsAgree(t *testing.T) {
	testenv.Long(t)
	testenv.OneGoroutine(t)
	p := testenv.Must(newProgram(Config{}))
	historian := recordedMatch(t, "speedup-1") // sets a working directory with the map
	testenv.NoError(t, writeReplay("match", "teeyard"))
	stdout, stderr := os.Stdout, os.Stderr
	os.Stdout = testenv.Must(os.OpenFile(os.DevNull, os.O_WRONLY, 0))
	os.Stderr = os.Stdout
	defer func() { os.Stdout, os.Stderr = stdout, stderr }()
	dump := func(name string) error { return (&dumpCmd{File: name}).Run() }
	for _, kind := range []struct {
		suffix   string
		whole    []byte
		commands map[string]func(name string) error
	}{
		{".teehistorian", historian, map[string]func(string) error{
			"replay verify": func(name string) error { return p.verifyReplay(name, "") },
			"dump":          dump,
		}},
		{".twreplay", testenv.Must(os.ReadFile("match")), map[string]func(string) error{
			"replay verify": func(name string) error { return p.verifyReplay(name, "") },
			"replay info":   func(name string) error { return (&replayInfoCmd{File: name}).Run(p) },
			"replay cut":    func(name string) error { return (&replayCutCmd{File: name, Out: "out", To: 1 << 40}).Run(p) },
			"replay export": func(name string) error { return (&replayExportCmd{File: name, Out: "out", Format: "tw07"}).Run(p) },
		}},
		{".demo", exportedDemo(t, p), map[string]func(string) error{
			"demo info": func(name string) error { return (&demoInfoCmd{File: name}).Run() },
			"demo cut":  func(name string) error { return (&demoCutCmd{File: name, Out: "out"}).Run() },
			"demo play": func(name string) error {
				f, r, err := openDemo(name)
				if err != nil {
					return err
				}
				defer f.Close()
				return (&demoPlayCmd{File: name}).play(t.Context(), r, bufio.NewWriter(io.Discard))
			},
			"dump": dump,
		}},
	} {
		seen := map[string]int{}
		check := func(what string, file []byte) {
			name := "a" + kind.suffix
			testenv.NoError(t, os.WriteFile(name, file, 0o600))
			first := ""
			for command, run := range kind.commands {
				os.Remove("out")
				err := run(name)
				if command == "replay verify" && kind.suffix == ".teehistorian" && verdict(err) == "damaged" && !isDamaged(err) {
					continue // the simulation differs before the damaged place
				}
				got := verdict(err)
				seen[got]++
				if first == "" {
					first = got
				}
				testenv.Check(t, got == first, "%s%s, %s: %s, and %s by another one: %v", what, kind.suffix, command, got, first, err)
			}
		}
		check("whole", kind.whole)
		testenv.Check(t, seen["whole"] == len(kind.commands), "whole%s: %v", kind.suffix, seen)
		for d := range testenv.Damaged(kind.whole, 25) {
			check(d.String(), d.File)
		}
		testenv.Check(t, seen["cut off"] > 20 && seen["damaged"] > 0, "%s: %v", kind.suffix, seen)
	}
}

// exportedDemo returns a demo of the log match.
func exportedDemo(t *testing.T, p *program) []byte {
	t.Helper()
	err := (&replayExportCmd{File: "match", Out: "match.demo", Format: "tw07"}).Run(p)
	testenv.Require(t, err == nil || errors.As(err, new(toldError)), "%v", err)
	return testenv.Must(os.ReadFile("match.demo"))
}

// TestConvertedSaysWhatIsMissing checks that demos made by /convert and watch say at their end if
// the recording is incomplete, and only then.
func TestConvertedSaysWhatIsMissing(t *testing.T) {
	p := testenv.Must(newProgram(Config{}))
	ddnet := testenv.Must(os.ReadFile("../format/demo/testdata/ddnet-16.4.demo"))
	historian := recordedMatch(t, "speedup-1")
	testenv.NoError(t, writeReplay("match", "teeyard"))
	log := testenv.Must(os.ReadFile("match"))
	broken := func(b []byte, at int) []byte {
		b = bytes.Clone(b)
		for i := range 20 {
			b[at+i] = 0x4c
		}
		return b
	}
	for name, c := range map[string]struct {
		file []byte
		says string
	}{
		"log": {log, ""}, "a log that is cut off": {log[:len(log)-40], "log is cut off"}, "a damaged log": {broken(log, len(log)-60), "log is damaged"},
		"teehistorian": {historian, ""}, "one that is cut off": {historian[:len(historian)-100], "cut off after byte"},
		"a damaged one": {broken(historian, len(historian)/2), "malformed file"},
		"demo":          {ddnet, ""}, "a demo that is cut off": {ddnet[:len(ddnet)-10_000], "cut off"}, "a damaged demo": {broken(ddnet, len(ddnet)/2),
			"1 chunk is damaged"},
	} {
		var out memoryFile
		testenv.NoError(t, p.convertRecording(&out, bytes.NewReader(c.file), true))
		text := string(textsOf(t, out.Bytes()))
		testenv.Check(
			t,
			strings.Contains(text, "Not all of the match is here") == (c.says != "") && strings.Contains(text, c.says),
			"%s: no %q in\n%.2000q",
			name,
			c.says,
			text,
		)
		testenv.Check(t, isWholeDemo(out.Bytes()), "%s: the demo is not whole", name)
	}
}

// isWholeDemo reports whether a demo is readable to its end.
func isWholeDemo(file []byte) bool {
	r, err := demo.NewReader(bytes.NewReader(file))
	for c := new(demo.Chunk); err == nil; {
		err = r.Next(c)
	}
	return err == io.EOF
}
