package viewer

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/teeyard/teeyard/format/demo"
	"github.com/teeyard/teeyard/internal/browsertest"
	"github.com/teeyard/teeyard/internal/testenv"
	"github.com/teeyard/teeyard/protocol/message"
	"github.com/teeyard/teeyard/protocol/message/msg7"
)

// script would run if a text became HTML. It fits into a name.
const script = "<img src=x onerror=hacked=1><script>hacked=1</script><a href=javascript:hacked=1>\u202eevil\u2066</a>"

// hostile returns a demo in which all texts are HTML and reverse the direction of the following
// text.
func hostile(t *testing.T) []byte {
	t.Helper()
	r := testenv.Must(demo.NewReader(bytes.NewReader(record(t, 16, 1500))))
	h := *r.Header()
	h.MapName = "<b>\u202ebox</b>"
	var out memFile
	w := testenv.Must(demo.NewWriter(&out, h, r.Map()))
	say := []interface{ Append([]byte) []byte }{
		&msg7.SvChat{Mode: msg7.ChatAll, ClientID: 2, TargetID: -1, Message: []byte(script)},
		&msg7.SvChat{Mode: msg7.ChatAll, ClientID: -1, TargetID: -1, Message: []byte(script)},
		&msg7.SvBroadcast{Message: []byte(script)},
		&msg7.SvVoteSet{ClientID: 1, Type: 1, Timeout: 25, Description: []byte(script), Reason: []byte(script)},
		&msg7.SvKillMsg{Killer: 2, Victim: 3, Weapon: 3},
	}
	var messages msg7.Decoder
	ticks := 0
	for c := new(demo.Chunk); ; {
		err := r.Next(c)
		if errors.Is(err, io.EOF) {
			break
		}
		testenv.NoError(t, err)
		switch {
		case c.Kind == demo.KindMessage:
			if m, err := messages.Decode(c.Message); err == nil && m.ID() == (*msg7.DeClientEnter)(nil).ID() {
				continue // which has the other name
			}
			testenv.NoError(t, w.Message(c.Message))
		case c.Snapshot != nil:
			for i := range c.Snapshot.Len() {
				if k, ints := c.Snapshot.Item(i); k.Type() == msg7.TypeDeClientInfo {
					message.StrToInts(ints[2:6], []byte(fmt.Sprintf("<b>\u202e%d</b>", k.ID())))
					message.StrToInts(ints[6:9], []byte("<i>\u202ex"))
				}
			}
			testenv.NoError(t, w.Snapshot(c.Tick, c.Snapshot))
			if ticks++; ticks == 20 {
				for _, m := range say {
					testenv.NoError(t, w.Message(m.Append(nil)))
				}
			}
		}
	}
	testenv.NoError(t, w.Close())
	return out.Bytes()
}

// TestHostileTexts shows a match whose texts are HTML and reverse the text direction. They stay
// texts and lose the direction marks.
func TestHostileTexts(t *testing.T) {
	b := hostile(t)
	mux := http.NewServeMux()
	mux.Handle("/", described(Rooms("", nil)...))
	mux.HandleFunc("/evil.demo", func(w http.ResponseWriter, _ *http.Request) { w.Write(b) })
	p := browsertest.Open(t, mux, "/?demo=/evil.demo#t=2")
	text := func(id string) string {
		return browsertest.Eval[string](p, fmt.Sprintf("document.getElementById(%q).textContent", id))
	}
	p.Wait(`document.getElementById('vote').textContent && document.getElementById('chat').children.length >= 2`)
	p.Do(chromedp.KeyEvent("t"))
	p.Wait(`document.querySelector('#scoreboard tbody button')?.textContent`)
	for _, id := range []string{"chat", "vote", "broadcast"} {
		if s := text(id); !strings.Contains(s, "<script>hacked=1</script>") {
			t.Errorf("%s says %q", id, s)
		}
	}
	for id, want := range map[string]string{"kills": "<b> 3</b>", "scoreboard": "<b> 2</b>", "buttons": "<b> 2</b>"} {
		if s := text(id); !strings.Contains(s, want) {
			t.Errorf("%s says %q", id, s)
		}
	}
	if s := browsertest.Eval[string](p, `document.title`); !strings.HasSuffix(s, "<b> box</b> · <i>yard</i> · Teeyard") {
		t.Errorf("the title is %q", s)
	}
	wantTrue(t, p, "no script ran", `!('hacked' in window)`)
	wantTrue(t, p, "no element of a text", `!document.querySelector('main b, main i, main a, main img:not(#loading > img), main script')`)
	wantTrue(t, p, "no text turns others", `!/[\u202a-\u202e\u2066-\u2069]/.test(document.documentElement.outerHTML + document.title)`)
}

// TestBrokenFiles drops broken files onto the page. It reports the error and still shows the next
// file.
func TestBrokenFiles(t *testing.T) {
	good := record(t, 16, 1500)
	r := testenv.Must(demo.NewReader(bytes.NewReader(good)))
	start := len(r.Header().Append(nil, 0))
	chunks := start + len(r.Map())
	noMap := append(bytes.Clone(good[:start]), bytes.Repeat([]byte{7}, len(r.Map()))...)
	files := map[string][]byte{
		"empty": {}, "text": []byte("this is no demo"), "header": good[:start], "half a map": good[:start+100],
		"no chunks": good[:chunks], "noise": append(bytes.Clone(good[:chunks]), bytes.Repeat([]byte{0x55, 0xaa, 0x13}, 5000)...),
		"map of noise": append(noMap, good[chunks:]...),
	}
	mux := http.NewServeMux()
	mux.Handle("/", described(Rooms("", nil)...))
	mux.HandleFunc("/live.json", func(w http.ResponseWriter, _ *http.Request) { w.Write([]byte(`{"match":"","reason":"x"}`)) })
	mux.HandleFunc("POST /convert", func(w http.ResponseWriter, _ *http.Request) {
		http.Error(w, "This is no recording.", http.StatusUnprocessableEntity)
	})
	mux.HandleFunc("/good", func(w http.ResponseWriter, _ *http.Request) { w.Write(good) })
	for name, b := range files {
		mux.HandleFunc("/"+strings.ReplaceAll(name, " ", "-"), func(w http.ResponseWriter, _ *http.Request) { w.Write(b) })
	}
	p := browsertest.Open(t, mux, "/")
	p.Allow("422")
	p.Wait(`document.querySelector('input[type=file]')`)
	drop := func(name string) {
		p.Run(fmt.Sprintf(`(async () => {
			document.getElementById('status').textContent = '';
			const files = new DataTransfer();
			files.items.add(new File([await (await fetch('/%s')).arrayBuffer()], 'some.demo'));
			dispatchEvent(new DragEvent('drop', { dataTransfer: files }));
		})()`, strings.ReplaceAll(name, " ", "-")))
	}
	for name := range files {
		drop(name)
		p.Wait(`!['', 'Reading the demo.', 'Loading the map.', 'Loading.'].includes(document.getElementById('status').textContent)`)
		t.Logf("%s: %s", name, browsertest.Eval[string](p, `document.getElementById('status').textContent`))
	}
	drop("good")
	p.Wait(
		`document.getElementById('status').textContent === '' && document.title.includes('testbox') && ` +
			`document.getElementById('now').textContent.startsWith('0:0')`,
	)
}

// TestBrokenSegments watches a live match with truncated, random and missing segments. The page
// continues and shows the rest.
func TestBrokenSegments(t *testing.T) {
	file := record(t, 16, 1500)
	r := testenv.Must(demo.NewReader(bytes.NewReader(file)))
	b := &broadcaster{asked: map[string]int{}, infos: map[string]string{}}
	for n := range 10 {
		b.segments = append(b.segments, segment(t, file, n))
	}
	b.segments[2] = b.segments[2][:len(b.segments[2])/3]
	b.segments[4] = bytes.Repeat([]byte{0x9f, 0x55, 0, 0xff}, 3000)
	b.segments[6] = nil
	b.set("a", true, 9)
	mux := http.NewServeMux()
	mux.Handle("/", described(Rooms("", nil)...))
	mux.Handle("/live.json", b)
	mux.Handle("/b/", b)
	mux.HandleFunc("/map/", func(w http.ResponseWriter, _ *http.Request) { w.Write(r.Map()) })
	p := browsertest.Open(t, mux, "/#t=0.5")
	now := `Number(document.getElementById('time').value)`
	for _, tick := range []int{150, 350, 450, 550, 650, 750, 950} {
		p.Wait(`!document.getElementById('bar').hidden`)
		p.Run(fmt.Sprintf(`(() => { const t = document.getElementById('time'); t.value = %d; t.dispatchEvent(new Event('input')); })()`, tick))
		p.Wait(fmt.Sprintf(`%s > %d && document.getElementById('status').textContent === ''`, now, tick))
	}
	wantTrue(t, p, "the players of the last segment", `document.querySelectorAll('select[aria-label="player to follow"] option').length === 18`)
}
