//go:build peers

package tools

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/teeyard/teeyard/game/splitmix"
	"github.com/teeyard/teeyard/internal/dissector"
	"github.com/teeyard/teeyard/internal/dump"
	"github.com/teeyard/teeyard/internal/pcap"
	"github.com/teeyard/teeyard/internal/peers"
	"github.com/teeyard/teeyard/internal/testenv"
)

// tshark is the program with the dissector.
type tshark struct{ path, script string }

func newTshark(t *testing.T) *tshark {
	path := peers.RequirePrograms(t, "tshark")[0]
	script := filepath.Join(t.TempDir(), "teeworlds.lua")
	testenv.NoError(t, os.WriteFile(script, []byte(testenv.Must(dissector.Lua())), 0o600))
	return &tshark{path, script}
}

// run returns what tshark prints about a capture whose server has a port.
func (s *tshark) run(t *testing.T, capture string, port uint16, args ...string) []byte {
	t.Helper()
	args = append([]string{"-X", "lua_script:" + s.script, "-r", capture, "-d", fmt.Sprintf("udp.port==%d,tw7", port)}, args...)
	cmd := exec.Command(s.path, args...)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	testenv.Require(t, cmd.Run() == nil, "tshark: %s", &stderr)
	testenv.Check(t, !strings.Contains(stdout.String()+stderr.String(), "Lua Error"), "%.2000s", stderr.String()+stdout.String())
	return stdout.Bytes()
}

// captures are the recorded conversations of real programs.
func captures(t *testing.T) []string {
	var all []string
	for _, pattern := range []string{"../../golden/testdata/*.pcap", "../../dump/testdata/*.pcap"} {
		all = append(all, testenv.Must(filepath.Glob(pattern))...)
	}
	testenv.Require(t, len(all) >= 4, "only %d captures", len(all))
	return all
}

// explained returns the records of a capture that have a name, and the server's port.
func explained(t *testing.T, capture string) (records []*dump.Record, port uint16) {
	d := dump.New(dump.Config{}, func(r *dump.Record) {
		if r.Name == "" {
			return // a packet without chunks
		}
		c := *r
		c.Fields, c.Faults = append(dump.Fields(nil), r.Fields...), append([]string(nil), r.Faults...)
		records = append(records, &c)
		if r.From == "client" {
			port = r.Dst.Port()
		}
	})
	f := testenv.Must(os.Open(capture))
	defer f.Close()
	testenv.NoError(t, dump.ReadCapture(f, d.Feed))
	return records, port
}

// tree is a part of a packet in tshark's JSON: texts, trees, or lists of these.
type tree map[string]any

// list returns a value as a list.
func list(v any) []any {
	switch v := v.(type) {
	case nil:
		return nil
	case []any:
		return v
	}
	return []any{v}
}

// under returns all trees below a key, at any depth, in order.
func under(v any, key string) (found []tree) {
	switch v := v.(type) {
	case []any:
		for _, e := range v {
			found = append(found, under(e, key)...)
		}
	case map[string]any:
		if v[key] != nil {
			found = append(found, v)
		}
		for k, e := range v {
			if strings.HasPrefix(k, "tw") {
				found = append(found, under(e, key)...)
			}
		}
	}
	return found
}

// TestWireshark compares tshark with "teeyard dump", message by message: names, sequence numbers,
// numbers and texts in fields, and the items of snapshots.
func TestWireshark(t *testing.T) {
	s := newTshark(t)
	fields, items := 0, 0
	for _, capture := range captures(t) {
		records, port := explained(t, capture)
		var frames []struct {
			Source struct{ Layers map[string]any } `json:"_source"`
		}
		out := s.run(t, capture, port, "-T", "json", "--no-duplicate-keys")
		testenv.NoError(t, json.Unmarshal(out, &frames))
		for i, frame := range frames {
			where := fmt.Sprintf("%s, frame %d", filepath.Base(capture), i+1)
			p := "tw7"
			if frame.Source.Layers["tw6"] != nil {
				p = "tw6"
			}
			layer := frame.Source.Layers[p]
			messages := append(under(layer, p+".packet"), under(layer, p+".message")...)
			if frame.Source.Layers["halflife"] != nil {
				testenv.Check(t, records[0].Name == "half-life", "%s: tshark says that %s is a message of Half-Life", where, records[0].Name)
				records = records[1:]
			}
			testenv.Require(t, len(messages) <= len(records), "%s: %d messages, and only %d are left", where, len(messages), len(records))
			for j, m := range messages {
				f, n := compare(t, fmt.Sprintf("%s, %s", where, records[j].Name), p, m, records[j])
				fields, items = fields+f, items+n
			}
			records = records[len(messages):]
		}
		testenv.Check(t, len(records) == 0, "%s: tshark lacks %d messages", capture, len(records))
		t.Logf("%s: %d frames; %d fields and %d items so far", filepath.Base(capture), len(frames), fields, items)
	}
	testenv.Check(t, fields > 6000 && items > 900, "only %d fields and %d items are compared", fields, items)
}

// compare compares a message. It returns the number of compared fields and changed items.
func compare(t *testing.T, where, p string, m tree, r *dump.Record) (fields, items int) {
	text := func(key string) string { return fmt.Sprint(m[p+"."+key]) }
	name := text("message")
	if r.Kind == "control" || r.Kind == "connless" {
		name = text("packet")
	}
	testenv.Require(t, name == r.Name, "%s: tshark says %s", where, name)
	lost := false
	for _, f := range r.Fields {
		lost = lost || f.Name == "unresolved"
	}
	for _, e := range list(m["_ws.expert"]) {
		_, isLost := e.(map[string]any)[p+".lost"]
		testenv.Check(t, isLost && lost, "%s: tshark's remark: %v", where, e)
		lost = lost && !isLost
	}
	testenv.Check(t, len(r.Faults) == 0 && !lost, "%s: faults %q; tshark does not see that the base is lost: %t", where, r.Faults, lost)
	if r.Vital {
		testenv.Check(t, text("seq") == strconv.Itoa(r.Seq), "%s: sequence number %s, want %d", where, text("seq"), r.Seq)
	}
	for _, f := range r.Fields {
		if f.Name == "snapshot" {
			counts := map[string]int{}
			for _, change := range list(m[p+".item"]) {
				counts[change.(string)]++
			}
			items += int(number(t, f.Value, "new") + number(t, f.Value, "changed") + number(t, f.Value, "gone"))
			testenv.Check(t, text("items") == fmt.Sprint(number(t, f.Value, "items")), "%s: %s items", where, text("items"))
			continue
		}
		got, ok := m[p+"."+strings.ToLower(r.Name)+"."+strings.ToLower(f.Name)]
		if !ok {
			continue // has another name here, as a reason
		}
		want := fmt.Sprint(f.Value)
		switch v := f.Value.(type) {
		case bool:
			want = map[bool]string{true: "1", false: "0"}[v]
		case string:
			if _, isNumber := got.(string); !isNumber || strings.ContainsAny(v, "\r\n\t") {
				continue
			}
			if _, err := strconv.Atoi(fmt.Sprint(got)); err == nil || strings.HasPrefix(fmt.Sprint(got), "0x") || strings.HasSuffix(v, " bytes") {
				continue // an enumeration, whose number tshark has here
			}
			plain := strings.NewReplacer(":", "", "-", "") // of bytes and UUIDs
			got, want = plain.Replace(fmt.Sprint(got)), plain.Replace(want)
		case int64, int32, int:
		default:
			continue
		}
		fields++
		testenv.Check(t, fmt.Sprint(got) == want, "%s: %s is %v, want %s", where, f.Name, got, want)
	}
	return fields, items
}

// number returns the number with a name.
func number(t *testing.T, fs any, name string) int64 {
	for _, f := range fs.(dump.Fields) {
		if f.Name == name {
			return int64(f.Value.(int))
		}
	}
	t.Fatalf("no %s in %v", name, fs)
	return 0
}

// TestWiresharkMutated checks that damaged packets cause no error in the dissector.
func TestWiresharkMutated(t *testing.T) {
	s := newTshark(t)
	r := splitmix.Rand(1)
	for _, capture := range captures(t) {
		_, port := explained(t, capture)
		b := testenv.Must(os.ReadFile(capture))
		var out []byte
		packets := 0
		for range testenv.Amount(1, 3) {
			in := testenv.Must(pcap.NewReader(bytes.NewReader(b)))
			for p, err := in.Next(); err != io.EOF; p, err = in.Next() {
				testenv.NoError(t, err)
				if out == nil { // the header of a file
					out = words(0xa1b2c3d4, 4<<16|2, 0, 0, 1<<16, uint32(p.Link))
				}
				udp := testenv.Must(p.UDP())
				for range r.Intn(4) {
					if len(udp.Payload) > 0 {
						udp.Payload[r.Intn(len(udp.Payload))] = byte(r.Uint32())
					}
				}
				out = append(append(out, words(uint32(packets), 0, uint32(len(p.Data)), uint32(len(p.Data)))...), p.Data...)
				packets++
			}
		}
		file := filepath.Join(t.TempDir(), "mutated.pcap")
		testenv.NoError(t, os.WriteFile(file, out, 0o600))
		lines := strings.Count(string(s.run(t, file, port, "-V", "-O", "tw7,tw6")), "\nFrame ") + 1
		testenv.Check(t, lines == packets, "%s: %d frames, want %d", capture, lines, packets)
	}
}

// words returns numbers in little endian.
func words(numbers ...uint32) (b []byte) {
	for _, n := range numbers {
		b = binary.LittleEndian.AppendUint32(b, n)
	}
	return b
}
