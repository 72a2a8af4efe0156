package tools

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/teeyard/teeyard/game/splitmix"
	"github.com/teeyard/teeyard/internal/dissector"
	"github.com/teeyard/teeyard/internal/dump"
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

// explained returns the records of a capture by datagram, from number 1 on, and the server's port.
func explained(t *testing.T, capture string) (records map[int][]*dump.Record, port uint16) {
	records = map[int][]*dump.Record{}
	d := dump.New(dump.Config{}, func(r *dump.Record) {
		c := *r
		c.Fields, c.Faults = append(dump.Fields(nil), r.Fields...), append([]string(nil), r.Faults...)
		records[r.Datagram] = append(records[r.Datagram], &c)
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
			want := records[i+1]
			if len(want) == 1 && want[0].Name == "" {
				want = nil // a packet without chunks
			}
			testenv.Require(t, len(messages) == len(want), "%s: %d messages, want %d", where, len(messages), len(want))
			for j, r := range want {
				f, n := compare(t, fmt.Sprintf("%s, %s", where, r.Name), p, messages[j], r)
				fields, items = fields+f, items+n
			}
		}
		t.Logf("%s: %d frames; %d fields and %d items so far", filepath.Base(capture), len(frames), fields, items)
	}
	testenv.Check(t, fields > 5000 && items > 5000, "only %d fields and %d items are compared", fields, items)
}

// compare compares a message. It returns the number of compared fields and changed items.
func compare(t *testing.T, where, p string, m tree, r *dump.Record) (fields, items int) {
	text := func(key string) string { return fmt.Sprint(m[p+"."+key]) }
	name := text("message")
	if r.Kind == "control" || r.Kind == "connless" {
		name = text("packet")
	}
	testenv.Require(t, name == r.Name, "%s: tshark says %s", where, name)
	testenv.Check(t, len(r.Faults) == 0 && m["_ws.expert"] == nil, "%s: faults %q, tshark's: %v", where, r.Faults, m["_ws.expert"])
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
			got = strings.ReplaceAll(fmt.Sprint(got), ":", "")
			want = strings.ReplaceAll(want, ":", "")
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
	const header, frameHeader, udpPayload = 24, 16, 42 // of pcap, of a packet, and Ethernet to UDP
	r := splitmix.Rand(1)
	for _, capture := range captures(t) {
		_, port := explained(t, capture)
		b := testenv.Must(os.ReadFile(capture))
		testenv.Require(t, binary.LittleEndian.Uint32(b) == 0xa1b2c3d4, "%s: not a pcap file in little endian", capture)
		out := bytes.Clone(b[:header])
		packets := 0
		for range testenv.Amount(1, 3) {
			for at := header; at < len(b); packets++ {
				n := frameHeader + int(binary.LittleEndian.Uint32(b[at+8:]))
				packet := bytes.Clone(b[at : at+n])
				at += n
				for range r.Intn(4) {
					if body := packet[frameHeader+udpPayload:]; len(body) > 0 {
						body[r.Intn(len(body))] = byte(r.Uint32())
					}
				}
				out = append(out, packet...)
			}
		}
		file := filepath.Join(t.TempDir(), "mutated.pcap")
		testenv.NoError(t, os.WriteFile(file, out, 0o600))
		lines := strings.Count(string(s.run(t, file, port, "-V", "-O", "tw7,tw6")), "\nFrame ") + 1
		testenv.Check(t, lines == packets, "%s: %d frames, want %d", capture, lines, packets)
	}
}
