package annotate

import (
	"encoding/hex"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/teeyard/teeyard/internal/golden"
	"github.com/teeyard/teeyard/internal/pcap"
	"github.com/teeyard/teeyard/protocol/huffman"
	"github.com/teeyard/teeyard/protocol/packer"
)

var update = flag.Bool("update", false, "write the examples of the pages anew")

// example is a code block of a page whose content is generated. Its first line names the datagram:
//
//	```bytes teeworlds-0.7.5-dm1.pcap 1 delta items=2 chunk=3
//	```bytes6 hex=10000001 trailer
//	```bytes-hl Q.info.rep
//
// The other kind has the sizes of snapshot objects:
//
//	```sizes 7
var example = regexp.MustCompile("(?ms)^```(bytes6?|bytes-hl|sizes) ([^\n]*)\n(.*?)^```$")

// TestPages checks that each example in docs/protocol is the explanation of its datagram. With the
// flag -update, it writes the examples.
func TestPages(t *testing.T) {
	pages, err := filepath.Glob("../../docs/protocol/*.md")
	if err != nil {
		t.Fatal(err)
	}
	examples := 0
	for _, name := range pages {
		page, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		got := example.ReplaceAllStringFunc(string(page), func(block string) string {
			examples++
			m := example.FindStringSubmatch(block)
			text, err := explain(t, m[1], m[2])
			if err != nil {
				t.Errorf("%s: %s: %v", name, m[2], err)
				return block
			}
			return "```" + m[1] + " " + m[2] + "\n" + text + "```"
		})
		comparePage(t, name, string(page), got)
	}
	if examples < 20 {
		t.Errorf("only %d examples were found", examples)
	}
}

// comparePage fails the test if the generated parts of a page differ, or writes the page with
// -update.
func comparePage(t *testing.T, name, page, want string) {
	t.Helper()
	switch {
	case page == want:
	case *update:
		if err := os.WriteFile(name, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	default:
		t.Errorf("%s differs; run go test ./internal/annotate -run %s -update\n%s", name, t.Name(), cmp.Diff(page, want))
	}
}

// explain returns the text of an example.
func explain(t *testing.T, kind, args string) (string, error) {
	words := strings.Fields(args)
	o := Options{Version: 7}
	switch kind {
	case "sizes":
		return Sizes("msg" + args)
	case "bytes-hl":
		b, err := halfLifeVector(args)
		if err != nil {
			return "", err
		}
		lines := HalfLife(b)
		return Text(lines), covers(lines, b)
	case "bytes6":
		o.Version = 6
	}
	var b []byte
	for i, w := range words {
		name, value, _ := strings.Cut(w, "=")
		n, _ := strconv.Atoi(value)
		switch name {
		case "hex":
			var err error
			if b, err = hex.DecodeString(value); err != nil {
				return "", err
			}
		case "delta":
			o.Delta = true
		case "trailer":
			o.Trailer = true
		case "items":
			o.Items = n
		case "type":
			o.Type = n
		case "chunk":
			o.Chunk = n
		default:
			if i > 0 {
				continue // the number of the datagram
			}
			if len(words) < 2 {
				return "", fmt.Errorf("there is no number of a datagram")
			}
			number, err := strconv.Atoi(words[1])
			ds := datagrams(t, w)
			if err != nil || number < 1 || number > len(ds) {
				return "", fmt.Errorf("datagram %s of %d", words[1], len(ds))
			}
			b = ds[number-1]
		}
	}
	lines, err := Datagram(b, o)
	if err != nil {
		return "", err
	}
	if o.Chunk == 0 {
		if err := covers(lines, b); err != nil {
			return "", err
		}
	}
	return Text(lines), nil
}

// covers returns an error unless the lines begin with all bytes of a datagram.
func covers(lines []Line, b []byte) error {
	var all []byte
	for _, l := range lines {
		all = append(all, l.Bytes...)
	}
	if !strings.HasPrefix(string(all), string(b)) {
		return fmt.Errorf("the lines do not contain each byte of %x once", b)
	}
	return nil
}

// datagrams returns the datagrams of a capture.
func datagrams(t *testing.T, name string) [][]byte {
	var l [][]byte
	if name == golden.Join || name == golden.Join6 || !strings.HasSuffix(name, ".pcap") {
		for _, d := range golden.Datagrams(t, name) {
			l = append(l, d.B)
		}
		return l
	}
	f, err := os.Open("../dump/testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	r, err := pcap.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	for {
		p, err := r.Next()
		if err != nil {
			return l
		}
		if udp, err := p.UDP(); err == nil {
			l = append(l, append([]byte(nil), udp.Payload...))
		}
	}
}

// halfLifeVector returns the datagram with a name in the file of vectors.
func halfLifeVector(name string) ([]byte, error) {
	file, err := os.ReadFile("../halflifetest/testdata/vectors.txt")
	if err != nil {
		return nil, err
	}
	for line := range strings.Lines(string(file)) {
		if f := strings.Fields(line); len(f) > 1 && f[0] == name {
			return hex.DecodeString(f[1])
		}
	}
	return nil, fmt.Errorf("there is no vector %s", name)
}

// tableRows returns the rows of a page's tables that match a pattern.
func tableRows(t *testing.T, page, pattern string, least int) [][]string {
	b, err := os.ReadFile("../../docs/protocol/" + page)
	if err != nil {
		t.Fatal(err)
	}
	rows := regexp.MustCompile(`(?m)^`+pattern+`$`).FindAllStringSubmatch(string(b), -1)
	if len(rows) < least {
		t.Fatalf("%s: only %d rows match", page, len(rows))
	}
	return rows
}

// TestIntegers checks the table of integers.
func TestIntegers(t *testing.T) {
	for _, row := range tableRows(t, "values.md", "\\| (-?\\d+) \\| `([0-9a-f ]+)` \\|", 10) {
		v, err := strconv.ParseInt(row[1], 10, 32)
		if err != nil {
			t.Fatal(err)
		}
		if got := fmt.Sprintf("% x", packer.AppendInt(nil, int32(v))); got != row[2] {
			t.Errorf("%d: the page has %s, the code %s", v, row[2], got)
		}
	}
}

// TestCompression checks the table of compressed bytes, and builds the code from the weights on the
// page as the page describes it.
func TestCompression(t *testing.T) {
	for _, row := range tableRows(t, "huffman.md", "\\| (nothing|`[0-9a-f]+`)[^|]* \\| `([0-9a-f]+)` \\|", 5) {
		text, err := hex.DecodeString(strings.Trim(strings.TrimPrefix(row[1], "nothing"), "`"))
		if err != nil {
			t.Fatal(err)
		}
		if got := hex.EncodeToString(huffman.AppendCompress(nil, text)); got != row[2] {
			t.Errorf("%x: the page has %s, the code %s", text, row[2], got)
		}
	}
	type node struct {
		weight, symbol int
		child          [2]*node
	}
	var open []*node
	for _, row := range tableRows(t, "huffman.md", ` {4}((?: *\d+){8})`, 32) {
		for _, word := range strings.Fields(row[1]) {
			weight, err := strconv.Atoi(word)
			if err != nil {
				t.Fatal(err)
			}
			open = append(open, &node{weight: weight, symbol: len(open)})
		}
	}
	open = append(open, &node{weight: 1, symbol: len(open)})
	for n := len(open); n > 1; n = len(open) {
		slices.SortStableFunc(open, func(a, b *node) int { return b.weight - a.weight })
		zero, one := open[n-1], open[n-2]
		open = append(open[:n-2], &node{zero.weight + one.weight, -1, [2]*node{zero, one}})
	}
	leaves := 0
	var walk func(n *node, bits uint32, length int)
	walk = func(n *node, bits uint32, length int) {
		if n.child[0] == nil {
			leaves++
			if b, l := huffman.Code(n.symbol); b != bits || l != length {
				t.Errorf("symbol %d: %0*b by the page, %0*b by the code", n.symbol, length, bits, l, b)
			}
			return
		}
		walk(n.child[0], bits, length+1)
		walk(n.child[1], bits|1<<length, length+1)
	}
	walk(open[0], 0, 0)
	if leaves != huffman.Symbols {
		t.Errorf("%d symbols", leaves)
	}
	for _, row := range tableRows(t, "huffman.md", "\\| (\\d+)[^|]* \\| `([01]+)` \\|", 2) {
		symbol, _ := strconv.Atoi(row[1])
		bits, n := huffman.Code(symbol)
		code := ""
		for i := range n {
			code += strconv.Itoa(int(bits >> i & 1))
		}
		if code != row[2] {
			t.Errorf("symbol %d: the page has %s, the code %s", symbol, row[2], code)
		}
	}
}
