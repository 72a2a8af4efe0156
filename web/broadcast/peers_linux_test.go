package broadcast

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/teeyard/teeyard/internal/peers"
	"github.com/teeyard/teeyard/internal/testenv"
	"github.com/teeyard/teeyard/web"
)

// audience is a number of viewers of a match, each with its own connection. They request /live.json
// every second and every segment.
type audience struct {
	addr     string
	until    time.Time
	answers  atomic.Int64
	segments atomic.Int64
	bytes    atomic.Int64
	mu       sync.Mutex
	faults   map[string]int
}

func (a *audience) fault(format string, args ...any) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.faults[fmt.Sprintf(format, args...)]++
}

// watch runs one viewer, beginning after a while. Like a browser, it reconnects if the connection
// breaks: a cache on a busy machine may reject some of many connections in one second.
func (a *audience) watch(later time.Duration) {
	time.Sleep(later)
	const tries = 3
	last := -1
	var err error
	for range tries {
		if err = a.watchOnce(&last); err == nil {
			return
		}
		time.Sleep(time.Second)
	}
	a.fault("%v", err)
}

// watchOnce runs one connection of a viewer that has the segments up to last.
func (a *audience) watchOnce(last *int) error {
	c, err := net.Dial("tcp", a.addr)
	if err != nil {
		return err
	}
	defer c.Close()
	r := bufio.NewReaderSize(c, 4096)
	get := func(path string, read func(io.Reader) error) {
		if err != nil {
			return
		}
		if _, err = fmt.Fprintf(c, "GET %s HTTP/1.1\r\nHost: localhost\r\nAccept-Encoding: gzip\r\n\r\n", path); err != nil {
			return
		}
		var answer *http.Response
		if answer, err = http.ReadResponse(r, nil); err != nil {
			return
		}
		if answer.StatusCode != 200 {
			a.fault("%s: %s", path, answer.Status)
		} else if read != nil {
			err = read(answer.Body)
		}
		n, _ := io.Copy(io.Discard, answer.Body)
		a.bytes.Add(n)
		a.answers.Add(1)
	}
	for next := time.Now(); next.Before(a.until) && err == nil; next = next.Add(time.Second) {
		time.Sleep(time.Until(next))
		var i Info
		get("/live.json", func(body io.Reader) error { return json.NewDecoder(body).Decode(&i) })
		if *last < 0 && err == nil {
			*last = i.Last - 1
		}
		for *last < i.Last && err == nil {
			if get(fmt.Sprintf("/b/%s/%d.seg", i.Match, *last+1), nil); err == nil {
				*last++
				a.segments.Add(1)
			}
		}
	}
	return err
}

// TestCaches checks that behind a cache configured as in deploy/ the server answers each segment
// only a few times, for any number of viewers.
func TestCaches(t *testing.T) {
	programs := peers.RequirePrograms(t, "nginx", "varnishd")
	const seconds = 8
	var files unix.Rlimit
	testenv.NoError(t, unix.Getrlimit(unix.RLIMIT_NOFILE, &files))
	viewers := min(5000, int(files.Cur)-500)
	for name, start := range map[string]func(t *testing.T, program string, port, origin int){"nginx": startNginx, "varnish": startVarnish} {
		t.Run(name, func(t *testing.T) {
			w := newPlayedServer(t)
			var mu sync.Mutex
			asked := map[string]int{}
			s := web.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
				if r.Header.Get("Upgrade") == "websocket" {
					echoPlayer(rw, r)
					return
				}
				mu.Lock()
				asked[r.URL.Path]++
				mu.Unlock()
				w.rooms.ServeHTTP(rw, r)
			}))
			l := testenv.Must(net.Listen("tcp", "127.0.0.1:0"))
			go s.Serve(l)
			t.Cleanup(func() { s.Close() })
			free := testenv.Must(net.Listen("tcp", "127.0.0.1:0"))
			port := free.Addr().(*net.TCPAddr).Port
			free.Close()
			start(t, programs[map[string]int{"nginx": 0, "varnish": 1}[name]], port, l.Addr().(*net.TCPAddr).Port)
			a := audience{addr: fmt.Sprintf("127.0.0.1:%d", port), faults: map[string]int{}}
			peers.Eventually(t, 20*time.Second, name+" answers", func() bool {
				answer, err := http.Get("http://" + a.addr + "/live.json")
				if err != nil {
					return false
				}
				answer.Body.Close()
				return answer.StatusCode == 200
			})
			mu.Lock()
			clear(asked)
			mu.Unlock()
			began := time.Now()
			a.until = began.Add(seconds * time.Second)
			var all sync.WaitGroup
			for i := range viewers {
				all.Go(func() { a.watch(time.Duration(i) * time.Second / time.Duration(viewers)) })
			}
			all.Wait()
			took := time.Since(began)
			for _, path := range []string{"/metrics", "/admin", "/debug/pprof/heap", "/b/../metrics"} {
				answer := testenv.Must(http.Get("http://" + a.addr + path))
				answer.Body.Close()
				if answer.StatusCode < 400 {
					t.Errorf("%s: %s", path, answer.Status)
				}
			}
			checkPlayer(t, a.addr)
			mu.Lock()
			counted := maps.Clone(asked)
			mu.Unlock()
			for path := range counted {
				if !strings.HasSuffix(path, ".seg") {
					continue
				}
				r := testenv.Must(http.NewRequest("GET", "http://"+a.addr+path, nil))
				r.Header.Set("Accept-Encoding", "identity")
				answer := testenv.Must(http.DefaultClient.Do(r))
				if got := testenv.Must(io.ReadAll(answer.Body)); !bytes.Equal(got, w.body(path)) {
					t.Errorf("%s has %d bytes for those who do not accept gzip", path, len(got))
				}
				answer.Body.Close()
			}
			if len(a.faults) > 0 {
				t.Errorf("what went wrong: %v", a.faults)
			}
			if n := a.segments.Load(); n < int64(viewers) {
				t.Errorf("%d segments were read", n)
			}
			worst := 0
			for path, n := range counted {
				if strings.HasSuffix(path, ".seg") {
					worst = max(worst, n)
				}
			}
			t.Logf(
				"%d viewers in %.1f s: %d answers, %d segments, %d MB; the server was asked %v",
				viewers,
				took.Seconds(),
				a.answers.Load(),
				a.segments.Load(),
				a.bytes.Load()>>20,
				counted,
			)
			if most := int(took.Seconds()) + 3; counted["/live.json"] > most {
				t.Errorf("/live.json was asked for %d times, more than %d", counted["/live.json"], most)
			}
			if worst == 0 || worst > 5 {
				t.Errorf("a segment was asked for %d times", worst)
			}
			for path := range counted {
				if path != "/live.json" && path != "/admin" && !strings.HasPrefix(path, "/b/2") { // nginx may use HTTPS
					t.Errorf("the cache has passed on %s", path)
				}
			}
		})
	}
}

// TestManySockets connects 500 viewers without a cache. The server's goroutine makes a record for
// every second tick and hands over ten at a time, as without viewers, and all viewers get every
// segment.
func TestManySockets(t *testing.T) {
	peers.RequirePrograms(t)
	const viewers, seconds = 500, 6
	var files unix.Rlimit
	testenv.NoError(t, unix.Getrlimit(unix.RLIMIT_NOFILE, &files))
	if files.Cur < 2*viewers+200 {
		t.Skipf("only %d files may be open", files.Cur)
	}
	w := newPlayedServer(t)
	count := func() (c struct{ tick, records, batches int64 }) {
		w.played.Lock()
		defer w.played.Unlock()
		return struct{ tick, records, batches int64 }{int64(w.tick), w.broadcast.records, w.broadcast.handed}
	}
	s := web.NewServer(w.rooms)
	l := testenv.Must(net.Listen("tcp", "127.0.0.1:0"))
	go s.Serve(l)
	t.Cleanup(func() { s.Close() })
	before := count()
	a := audience{addr: l.Addr().String(), faults: map[string]int{}, until: time.Now().Add(seconds * time.Second)}
	var all sync.WaitGroup
	for i := range viewers {
		all.Go(func() { a.watch(time.Duration(i) * time.Second / viewers) })
	}
	all.Wait()
	after := count()
	ticks, records, batches := after.tick-before.tick, after.records-before.records, after.batches-before.batches
	t.Logf("%d answers, %d segments, %d MB; %d ticks, %d records, %d batches", a.answers.Load(), a.segments.Load(), a.bytes.Load()>>20, ticks, records, batches)
	if len(a.faults) > 0 {
		t.Errorf("what went wrong: %v", a.faults)
	}
	if ticks < 50 || records > ticks/2+1 || batches > records/recordsPerBatch+1 {
		t.Errorf("%d records and %d batches in %d ticks", records, batches, ticks)
	}
	if n := a.segments.Load(); n < viewers {
		t.Errorf("%d segments were read", n)
	}
}

// newPlayedServer returns a server with 64 players in real time, until the test ends.
func newPlayedServer(t *testing.T) *watchedServer {
	c := newCrowd(t, 64)
	c.play(500)
	c.clock.Store(int64(c.Now()))
	stop, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		ticker := time.NewTicker(20 * time.Millisecond)
		defer ticker.Stop()
		for {
			select {
			case <-stop:
				return
			case <-ticker.C:
				c.clock.Store(int64(c.Now()))
				c.played.Lock()
				c.send()
				c.Advance(c.Now())
				c.played.Unlock()
			}
		}
	}()
	t.Cleanup(func() { close(stop); <-done })
	return c.watchedServer
}

// config returns a file of deploy/ with some values replaced.
func config(t *testing.T, name string, replace ...string) string {
	t.Helper()
	text := string(testenv.Must(os.ReadFile(filepath.Join("../../deploy", name))))
	for i := 0; i < len(replace); i += 2 {
		if !strings.Contains(text, replace[i]) {
			t.Fatalf("%s has no %q", name, replace[i])
		}
		text = strings.ReplaceAll(text, replace[i], replace[i+1])
	}
	path := filepath.Join(t.TempDir(), name)
	testenv.NoError(t, os.WriteFile(path, []byte(text), 0o644))
	return path
}

func startNginx(t *testing.T, program string, port, origin int) {
	dir := t.TempDir()
	site := config(
		t,
		"nginx-broadcast.conf",
		"/var/cache/nginx/teeyard",
		dir+"/cache",
		"listen 80;",
		fmt.Sprintf("listen 127.0.0.1:%d;", port),
		"listen [::]:80;",
		"",
		"127.0.0.1:8303",
		fmt.Sprintf("127.0.0.1:%d", origin),
	)
	main := filepath.Join(dir, "nginx.conf")
	testenv.NoError(t, os.WriteFile(main, fmt.Appendf(nil, `daemon off; master_process off; pid %s/pid; error_log stderr; worker_rlimit_nofile 16000;
events { worker_connections 12000; }
http { access_log off; client_body_temp_path %[1]s/body; proxy_temp_path %[1]s/proxy; fastcgi_temp_path %[1]s/fastcgi; uwsgi_temp_path %[1]s/uwsgi;
	scgi_temp_path %[1]s/scgi; include %s; }
`, dir, site), 0o644))
	peers.Start(t, dir, nil, program, "-p", dir, "-c", main, "-e", "stderr")
}

func startVarnish(t *testing.T, program string, port, origin int) {
	dir := t.TempDir()
	vcl := config(t, "broadcast.vcl", `"8303"`, fmt.Sprintf("%q", fmt.Sprint(origin)))
	peers.Start(t, dir, nil, program, "-F", "-j", "none", "-n", dir, "-a", fmt.Sprintf("127.0.0.1:%d", port), "-f", vcl, "-s", "malloc,256m")
}

// echoPlayer accepts a player's connection, reports its address, and echoes a line.
func echoPlayer(w http.ResponseWriter, r *http.Request) {
	conn, rw, err := http.NewResponseController(w).Hijack()
	if err != nil {
		return
	}
	defer conn.Close()
	fmt.Fprintf(conn, "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nX-For: %s\r\n\r\n", r.Header.Get("X-Forwarded-For"))
	line, _ := rw.ReadString('\n')
	io.WriteString(conn, line)
}

// checkPlayer checks that players in browsers get through.
func checkPlayer(t *testing.T, addr string) {
	conn := testenv.Must(net.Dial("tcp", addr))
	defer conn.Close()
	conn.SetDeadline(time.Now().Add(20 * time.Second))
	fmt.Fprintf(
		conn,
		"GET / HTTP/1.1\r\nHost: localhost\r\nX-Forwarded-For: 203.0.113.5\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n\r\n",
	)
	r := bufio.NewReader(conn)
	answer := testenv.Must(http.ReadResponse(r, nil))
	if whom := answer.Header.Get("X-For"); answer.StatusCode != http.StatusSwitchingProtocols || whom != "203.0.113.5, 127.0.0.1" {
		t.Errorf("a player gets %s, for %q", answer.Status, whom)
		return
	}
	io.WriteString(conn, "hello\n")
	if line, err := r.ReadString('\n'); line != "hello\n" {
		t.Errorf("a player gets %q back, %v", line, err)
	}
}

// TestRealClientPlaysMatch lets the original client play the demo of a running match whose
// beginning has been dropped.
func TestRealClientPlaysMatch(t *testing.T) {
	peers.RequirePrograms(t, "teeworlds")
	c := newCrowd(t, 6)
	c.play(500)
	i := c.info("/live.json")
	c.broadcast.shelf.mu.Lock()
	c.broadcast.shelf.limit = 1
	c.broadcast.shelf.mu.Unlock()
	c.play(100)
	c.broadcast.shelf.mu.Lock()
	c.broadcast.shelf.limit = maxMemory
	c.broadcast.shelf.mu.Unlock()
	c.play(300)
	file := c.demo(i.Match)
	if got := ticks(t, file); len(got) < 150 || got[0] <= i.LastTick {
		t.Fatalf("%d ticks from %d on", len(got), got[0])
	}
	d := peers.NewDisplay(t)
	client := d.PlayDemoInTeeworlds(file)
	peers.Eventually(t, 90*time.Second, "the end of the demo", func() bool {
		return !client.Running() || strings.Contains(client.Output(), "end of file")
	})
	played, _, _ := strings.Cut(client.Output(), "end of file")
	for line := range strings.Lines(played) {
		if strings.Contains(line, "demo_player") && (strings.Contains(line, "error") || strings.Contains(line, "Unable")) {
			t.Errorf("the client complains: %s", line)
		}
	}
	if !client.Running() {
		t.Error("the client has ended")
	}
	d.Screenshot("end")
}
