package viewer

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/teeyard/teeyard/format/demo"
	"github.com/teeyard/teeyard/internal/browsertest"
	"github.com/teeyard/teeyard/internal/golden"
	"github.com/teeyard/teeyard/internal/messagetest"
	"github.com/teeyard/teeyard/internal/testenv"
	"github.com/teeyard/teeyard/protocol/message/msg7"
	"github.com/teeyard/teeyard/protocol/packer"
	"github.com/teeyard/teeyard/protocol/snapshot"
	"github.com/teeyard/teeyard/web"
)

func TestMain(m *testing.M) { browsertest.Main(m) }

// openPage opens an empty page with the viewer's files, the tests' modules in testdata and the
// files in the map by path, and another handler if there is one.
func openPage(t *testing.T, files map[string][]byte, others ...http.Handler) *browsertest.Page {
	t.Helper()
	mux := http.NewServeMux()
	for _, h := range others {
		mux.Handle("/", h)
	}
	mux.Handle("/viewer/", web.NewHandler(Rooms("", nil)...))
	mux.Handle("/test/", http.StripPrefix("/test/", http.FileServer(http.Dir("testdata"))))
	mux.HandleFunc("/empty", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		io.WriteString(w, `<!doctype html><link rel="icon" href="data:,">`)
	})
	for path, b := range files {
		mux.HandleFunc(path, func(w http.ResponseWriter, _ *http.Request) { w.Write(b) })
	}
	return browsertest.Open(t, mux, "/empty")
}

// call calls a function of a module in testdata.
func call[T any](p *browsertest.Page, module, expression string) T {
	return browsertest.Eval[T](p, fmt.Sprintf("import('/test/%s').then(m => m.%s)", module, expression))
}

// fields returns the fields of a message or object under the page's names.
func fields(v reflect.Value, prefix string, m map[string]any) map[string]any {
	for i := range v.NumField() {
		f := v.Type().Field(i)
		switch {
		case f.Anonymous:
			fields(v.Field(i), prefix, m)
		case f.Type == reflect.TypeFor[msg7.Skin]():
			fields(v.Field(i), f.Name+".", m)
		default:
			m[prefix+f.Name] = plain(v.Field(i))
		}
	}
	return m
}

func plain(v reflect.Value) any {
	switch {
	case v.Kind() == reflect.Slice && v.Type().Elem().Kind() == reflect.Uint8:
		return string(v.Bytes())
	case v.Kind() == reflect.Slice, v.Kind() == reflect.Array:
		list := []any{}
		for i := range v.Len() {
			if e := plain(v.Index(i)); v.Index(i).Kind() == reflect.Array {
				list = append(list, e.([]any)...)
			} else {
				list = append(list, e)
			}
		}
		return list
	}
	return v.Interface()
}

var broken = regexp.MustCompile("\uFFFD+")

// canonical returns JSON in one form: sorted, and with one replacement for each run of invalid
// UTF-8, which implementations count differently.
func canonical(b []byte) string {
	var v any
	if err := json.Unmarshal(b, &v); err != nil {
		return string(b)
	}
	return broken.ReplaceAllString(strings.ToValidUTF8(string(testenv.Must(json.Marshal(v))), "\uFFFD"), "\uFFFD")
}

// line converts a line of the page to Go's form.
func line(s string) string {
	if head, text, ok := strings.Cut(s, " {"); ok {
		return head + " " + canonical([]byte("{"+text))
	}
	return s
}

func describeMessage(d *msg7.Decoder, b []byte) string {
	m, err := d.Decode(bytes.Clone(b))
	if err != nil || m.ID().System() || reflect.TypeOf(m).Elem().Name()[:2] == "Cl" {
		return "no message"
	}
	return "message " + m.ID().String() + " " + canonical(testenv.Must(json.Marshal(fields(reflect.ValueOf(m).Elem(), "", map[string]any{}))))
}

func hash(s *snapshot.Snapshot) string {
	var d msg7.ObjectDecoder
	h := uint32(0x811c9dc5)
	add := func(v uint32) { h = (h ^ v) * 16777619 }
	for i := range s.Len() {
		k, ints := s.Item(i)
		add(uint32(k))
		valid := uint32(1)
		if _, err := d.Decode(k.Type(), ints); err != nil {
			valid = 0
		}
		add(valid)
		for _, v := range ints {
			add(uint32(v))
		}
	}
	return fmt.Sprintf("%d %d", s.Len(), h)
}

// transcribe calls transcribeDemo of testdata/wire.js.
func transcribe(file []byte, objectsOf int) []string {
	r, err := demo.NewReader(bytes.NewReader(file))
	if err != nil {
		return []string{"error"}
	}
	var lines []string
	var messages msg7.Decoder
	var objects msg7.ObjectDecoder
	n := 0
	mapAt := int64(len(r.Header().Append(nil, 0)))
	for c := new(demo.Chunk); ; {
		err := r.Next(c)
		switch {
		case err != nil && c.Offset == mapAt && len(r.Map()) > 0: // the page does not check the map
		case err == io.EOF, errors.Is(err, demo.ErrCutOff) && c.Offset == int64(len(file)):
			return lines // the page does not compare the end with the header's length
		case errors.Is(err, demo.ErrCutOff):
			return append(lines, "cut off")
		case c.Kind == demo.KindMessage && err != nil:
			lines = append(lines, "no message")
		case c.Kind == demo.KindTick && err != nil, c.Kind == demo.KindUnknown:
			lines = append(lines, "error")
		case c.Kind == demo.KindTick:
			lines = append(lines, fmt.Sprintf("tick %d %v", c.Tick, c.Keyframe))
		case c.Kind == demo.KindMessage:
			lines = append(lines, describeMessage(&messages, c.Message))
		case c.Snapshot == nil: // broken, or a delta from a broken snapshot
			lines = append(lines, "nothing")
		default:
			lines = append(lines, "snapshot "+hash(c.Snapshot))
			if n++; (n-1)%objectsOf != 0 {
				continue
			}
			for i := range c.Snapshot.Len() {
				k, ints := c.Snapshot.Item(i)
				if o, err := objects.Decode(k.Type(), ints); err == nil {
					b := testenv.Must(json.Marshal(fields(reflect.ValueOf(o).Elem(), "", map[string]any{})))
					lines = append(lines, fmt.Sprintf("object %s %d %s", msg7.ObjectName(k.Type()), k.ID(), canonical(b)))
				}
			}
		}
	}
}

// compare compares the page's output with Go's.
func compare(t *testing.T, what string, page, want []string) {
	t.Helper()
	for i := range max(len(page), len(want)) {
		a, b := "nothing more", "nothing more"
		if i < len(page) {
			a = line(page[i])
		}
		if i < len(want) {
			b = want[i]
		}
		if a != b {
			t.Fatalf(
				"%s, line %d of %d: the page reads\n%s\nGo\n%s\nafter\n%s",
				what,
				i,
				len(want),
				a,
				b,
				strings.Join(want[max(0, i-5):min(i, len(want))], "\n"),
			)
		}
	}
}

// demoFiles are recordings of real programs, and one of ours, by path.
func demoFiles(t *testing.T) map[string][]byte {
	files := map[string][]byte{"/ours.demo": record(t, 16, 1500)}
	for _, name := range []string{"teeworlds-0.7.5.demo", "teeworlds-server-0.7.5.demo"} {
		files["/"+name] = testenv.Must(os.ReadFile(filepath.Join("..", "..", "format", "demo", "testdata", name)))
	}
	return files
}

func TestReadDemos(t *testing.T) {
	files := demoFiles(t)
	p := openPage(t, files)
	snapshots, messages, objects := 0, 0, 0
	for name, file := range files {
		want := transcribe(file, 5)
		compare(t, name, call[[]string](p, "wire.js", fmt.Sprintf("demo('%s', 5)", name)), want)
		all := strings.Join(want, "\n")
		snapshots += strings.Count(all, "\nsnapshot ")
		messages += strings.Count(all, "\nmessage ")
		objects += strings.Count(all, "\nobject ")
	}
	if snapshots < 900 || messages < 100 || objects < 5000 {
		t.Errorf("only %d snapshots, %d messages, %d objects", snapshots, messages, objects)
	}
	t.Logf("%d snapshots, %d messages, %d objects field by field", snapshots, messages, objects)
}

// TestReadDeltas reads deltas from real servers, whose order and duplicates differ from ours.
func TestReadDeltas(t *testing.T) {
	files := map[string][]byte{}
	for _, name := range []string{"tw16.snaps", "dd64.snaps"} {
		files["/"+name] = testenv.Must(os.ReadFile(filepath.Join("..", "..", "protocol", "snapshot", "testdata", name)))
	}
	p := openPage(t, files)
	sizes := snapshot.ItemSizes(msg7.Sizes)
	for name, b := range files {
		var want []string
		at := map[uint32]*snapshot.Snapshot{^uint32(0): {}}
		for len(b) > 0 {
			n := binary.LittleEndian.Uint32(b[12:])
			s := new(snapshot.Snapshot)
			testenv.NoError(t, snapshot.ApplyDelta(s, at[binary.LittleEndian.Uint32(b[4:])], b[16:16+n], &sizes))
			at[binary.LittleEndian.Uint32(b)] = s
			want = append(want, fmt.Sprintf("%s %d", hash(s), int32(binary.LittleEndian.Uint32(b[8:]))))
			b = b[16+n:]
		}
		compare(t, name, call[[]string](p, "wire.js", "deltas('"+name+"')"), want)
		t.Logf("%s: %d deltas", name, len(want))
	}
}

// TestReadMessages reads the messages of a capture, and the same messages with changed bytes.
func TestReadMessages(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	var file []byte
	var want []string
	var d msg7.Decoder
	for range 50 {
		for _, capture := range []string{golden.Join, golden.Server16} {
			for _, p := range messagetest.Payloads(t, capture) {
				if p.ToServer || len(p.B) == 0 || p.B[0]&1 != 0 {
					continue
				}
				b := p.B
				if len(want) > 50 { // the first ones stay unchanged
					b[random.IntN(len(b))] = byte(random.Uint32())
					b = b[:len(b)-random.IntN(2)]
				}
				file = append(binary.BigEndian.AppendUint32(file, uint32(len(b))), b...)
				want = append(want, describeMessage(&d, b))
			}
		}
	}
	p := openPage(t, map[string][]byte{"/messages": file})
	compare(t, "messages", call[[]string](p, "wire.js", "messages('/messages')"), want)
	kinds := map[string]int{}
	for _, l := range want {
		kind, _, _ := strings.Cut(strings.TrimPrefix(l, "message "), " ")
		kinds[kind]++
	}
	if len(want) < 1000 || len(kinds) < 10 {
		t.Errorf("only %d messages: %v", len(want), kinds)
	}
	t.Logf("%d messages: %v", len(want), kinds)
}

func TestReadIntegers(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	var file []byte
	for shift := range 32 {
		for _, d := range []int32{-1, 0, 1} {
			file = packer.AppendInt(packer.AppendInt(file, 1<<shift+d), ^(1<<shift + d))
		}
	}
	for range 2000 { // and random objects
		file = append(file, byte(random.Uint32()))
	}
	file = append(file, 0xff, 0xff, 0xff)
	var want []int32
	var u packer.Unpacker
	for u.Reset(file); u.Len() > 0; {
		if v := u.Int(); u.Err() == nil {
			want = append(want, v)
		}
	}
	p := openPage(t, map[string][]byte{"/ints": file})
	if got := call[[]int32](p, "wire.js", "integers('/ints')"); !reflect.DeepEqual(got, want) {
		t.Errorf("read %d integers, want %d, or other ones", len(got), len(want))
	}
}

// TestReadBrokenDemos reads demos with changed bytes and missing parts. The page reads the same as
// Go, throws only its own errors, and ends.
func TestReadBrokenDemos(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	n := 60
	if testenv.Full() {
		n = 2000
	}
	var all []byte
	var want []string
	errors := 0
	files := demoFiles(t)
	for _, name := range slices.Sorted(maps.Keys(files)) {
		r := testenv.Must(demo.NewReader(bytes.NewReader(files[name])))
		h := *r.Header()
		original := files[name]
		chunks := original[len(h.Append(nil, 0))+len(r.Map()):]
		for range n {
			at := random.IntN(len(chunks))
			b := h.Append(nil, 0)
			b = append(b, chunks[at:min(len(chunks), at+20_000)]...)
			if random.IntN(2) == 0 {
				b = append(h.Append(nil, 0), chunks[:min(len(chunks), 20_000)]...)
			}
			for range random.IntN(10) {
				switch at := random.IntN(len(b)); random.IntN(4) {
				case 0:
					b[at] = byte(random.Uint32())
				case 1:
					b[at] ^= 1 << random.IntN(8)
				case 2:
					b = append(b[:at:at], b[min(len(b), at+random.IntN(50)):]...)
				default:
					b = b[:max(len(b)-random.IntN(100), at)]
				}
				if len(b) == 0 {
					break
				}
			}
			if r, err := demo.NewReader(bytes.NewReader(b)); err == nil && (r.Header().Protocol() != 7 || r.Header().Version > 4) {
				continue // the page leaves those to the server
			}
			all = append(binary.BigEndian.AppendUint32(all, uint32(len(b))), b...)
			text := strings.Join(transcribe(b, 1<<30), "\n")
			want = append(want, text)
			errors += strings.Count(text, "error") + strings.Count(text, "nothing")
		}
	}
	p := openPage(t, map[string][]byte{"/broken": all})
	got := call[[]string](p, "wire.js", "demos('/broken')")
	for i := range want {
		compare(t, fmt.Sprintf("demo %d", i), strings.Split(got[i], "\n"), strings.Split(want[i], "\n"))
	}
	if errors < n {
		t.Errorf("only %d errors", errors)
	}
	t.Logf("%d demos with %d errors", len(want), errors)
}
