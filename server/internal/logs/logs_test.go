package logs_test

import (
	"bytes"
	"errors"
	"io"
	"log/slog"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/teeyard/teeyard/internal/testenv"
	"github.com/teeyard/teeyard/server/console"
	"github.com/teeyard/teeyard/server/internal/later"
	"github.com/teeyard/teeyard/server/internal/logs"
	"github.com/teeyard/teeyard/server/logline"
)

// disk is a folder in memory.
type disk struct {
	mu    sync.Mutex
	files map[string]*bytes.Buffer
	err   error // of open
}

type diskFile struct {
	d    *disk
	name string
}

func (d *disk) open(name string) (io.WriteCloser, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.err != nil {
		return nil, d.err
	}
	if d.files == nil {
		d.files = map[string]*bytes.Buffer{}
	}
	if d.files[name] == nil {
		d.files[name] = &bytes.Buffer{}
	}
	return diskFile{d, name}, nil
}

func (f diskFile) Write(b []byte) (int, error) {
	f.d.mu.Lock()
	defer f.d.mu.Unlock()
	return f.d.files[f.name].Write(b)
}

func (diskFile) Close() error { return nil }

// content returns the content of a file after the logs are closed.
func (d *disk) content(name string) string {
	d.mu.Lock()
	defer d.mu.Unlock()
	if f := d.files[name]; f != nil {
		return f.String()
	}
	return "no file"
}

// host is a server with logs.
type host struct {
	*logs.Logs
	console    *console.Console
	log        bytes.Buffer
	tasks      chan func()
	open       func(name string) (io.WriteCloser, error)
	background func(func())
}

// newHost starts a server that has read a configuration.
func newHost(t *testing.T, cfg logs.Config, open func(string) (io.WriteCloser, error), configuration string) *host {
	t.Helper()
	h := &host{tasks: make(chan func(), 16), open: open, background: later.Now}
	cfg.Dialect = new(logline.DialectVar)
	cfg.Log = slog.New(logline.NewDialect(&h.log, nil, cfg.Dialect))
	cfg.OpenFile = func(name string) (io.WriteCloser, error) { return h.open(name) }
	cfg.Background = func(f func()) { h.background(f) }
	cfg.Print = func(level int, system, line string) { h.Log(level, system, line) }
	cfg.Do = func(f func()) error { h.tasks <- f; return nil }
	h.Logs = logs.New(cfg)
	output := func(_ console.Caller, level int, system, line string) { h.Log(level, system, line) }
	h.console = testenv.Must(console.New(console.Config{Output: output}))
	testenv.NoError(t, h.Register(h.console))
	h.run(configuration)
	h.Open()
	h.console.Start()
	return h
}

func (h *host) run(line string) { h.console.Execute(line, console.Operator) }

// TestLogFile checks that logfile names a file in dumps, as in the original, with lines in the
// dialect of the log.
func TestLogFile(t *testing.T) {
	var d disk
	h := newHost(t, logs.Config{}, d.open, "logfile evening")
	h.Log(console.Standard, "server", "version 0.7")
	h.run("echo one; logfile sub/other; log_dialect ddnet; echo two; logfile \"\"; echo three; logfile evening; log_dialect tw07; echo four")
	h.run("logfile ../outside")
	h.run("logfile " + strings.ReplaceAll(os.TempDir(), `\`, "/") + "/outside")
	testenv.Check(t, h.Settings.File == "evening", "after names that are refused, logfile is %q", h.Settings.File)
	h.run("logfile \"\"; logfile_timestamp 1; logfile stamped; echo five")
	h.Close()
	evening, other := d.content("dumps/evening.txt"), d.content("dumps/sub/other.txt")
	for _, want := range []string{"][server]: version 0.7\n", "][Console]: one\n", "][Console]: four\n",
		"failed to open '../outside' for logging: the file is outside the folder dumps", "files outside the server's folder"} {
		testenv.Check(t, strings.Contains(evening, want), "%q is missing in\n%s", want, evening)
	}
	if strings.Contains(evening, "three") || !strings.Contains(other, " I Console: two\n") || len(d.files) != 3 {
		t.Errorf("%d files\n%s\nother\n%s", len(d.files), evening, other)
	}
	for name := range d.files {
		if stamp, ok := strings.CutPrefix(name, "dumps/stamped"); ok {
			_, err := time.Parse("2006-01-02_15-04-05.txt", stamp)
			testenv.NoError(t, err)
		}
	}
	h = newHost(t, logs.Config{}, d.open, "logfile ../outside")
	if h.Settings.File != "" || !strings.Contains(h.log.String(), "failed to open '../outside'") {
		t.Errorf("refused at the start, logfile is %q", h.Settings.File)
	}
	bad := disk{err: errors.New("no room")}
	h = newHost(t, logs.Config{}, bad.open, "logfile evening")
	testenv.Check(t, strings.Contains(h.log.String(), "[engine/logfile]: failed to open 'dumps/evening.txt' for logging: no room\n"), "%s", h.log.String())
}

// TestLogFileOfDDNet checks that only the file of the configuration is where DDNet-Server has it.
func TestLogFileOfDDNet(t *testing.T) {
	var d disk
	h := newHost(t, logs.Config{DDNet: true}, d.open, "logfile logs/server.log")
	h.Log(console.Standard, "server", "version 0.7")
	h.run("logfile autoexec_server.cfg; echo one")
	h.Reopen()
	h.run("logfile logs/server.log; echo two")
	h.Close()
	main, others := d.content("logs/server.log"), d.content("dumps/autoexec_server.cfg.txt")
	testenv.Check(t, len(d.files) == 2 && strings.Contains(main, "version 0.7") && strings.Contains(main, "Console]: two") &&
		strings.Contains(others, "one"), "%q", d.files)
}

// TestLogsThatCannotBeOpened checks that an audit log that could not be opened is a problem. It is
// opened later, and the log file with Reopen.
func TestLogsThatCannotBeOpened(t *testing.T) {
	d := disk{err: errors.New("no room")}
	outside := strings.ReplaceAll(os.TempDir(), `\`, "/") + "/outside"
	h := newHost(t, logs.Config{}, d.open, "sv_audit_log audit.jsonl; logfile "+outside)
	const problem = "sv_audit_log 'audit.jsonl' could not be opened, so the actions of operators are not logged: no room"
	testenv.Check(t, h.Problem() == problem, "the problem is %q", h.Problem())
	h.log.Reset()
	h.run(`sv_audit_log ""; sv_audit_log other`)
	if n := strings.Count(h.log.String(), "can be set only in the configuration"); n != 2 || h.Settings.Audit != "audit.jsonl" {
		t.Errorf("refused %d times, the setting is %q", n, h.Settings.Audit)
	}
	h.log.Reset()
	for tick := range int32(1000) {
		h.Update(tick)
	}
	testenv.Check(t, !strings.Contains(h.log.String(), "audit.jsonl"), "the failure is printed again:\n%s", h.log.String())
	d.err = nil
	for tick := range int32(200) {
		h.Update(tick)
	}
	testenv.Check(t, h.Problem() == "" && strings.Contains(h.log.String(), "opened 'audit.jsonl'"),
		"%q, although the disk has room:\n%s", h.Problem(), h.log.String())
	h.Reopen()
	h.Audit(logs.Entry{Event: "login"})
	h.Log(console.Standard, "server", "hello")
	testenv.Check(t, h.Problem() == "", "the problem is %q", h.Problem())
	h.Close()
	if a, l := d.content("audit.jsonl"), d.content(outside); !strings.Contains(a, "login") || !strings.Contains(l, "hello") {
		t.Errorf("the logs have %q and %q", a, l)
	}
}

// TestLateLog checks that a file that opens late does not replace one that was named after it.
func TestLateLog(t *testing.T) {
	var d disk
	h := newHost(t, logs.Config{}, d.open, "")
	late, closed := make(chan struct{}), make(chan struct{}, 1)
	h.background = later.Go
	h.open = func(name string) (io.WriteCloser, error) {
		if name == "dumps/first.txt" {
			<-late
			return countedFile{testenv.Must(d.open(name)), closed}, nil
		}
		return d.open(name)
	}
	h.run("logfile first; logfile second")
	if !h.Enabled(console.Debug) { // on a slow machine
		(<-h.tasks)()
	}
	close(late)
	(<-h.tasks)()
	select {
	case <-closed:
	case <-time.After(30 * time.Second):
		t.Error("the file that came too late stays open")
	}
	h.Log(console.Standard, "server", "hello")
	h.Close()
	first, second := d.content("dumps/first.txt"), d.content("dumps/second.txt")
	testenv.Check(t, first == "" && strings.Contains(second, "hello"), "the files have %q and %q", first, second)
}

// TestReopenOnAStuckDisk checks that each log waits only once for a disk that does not answer,
// however often it is opened again.
func TestReopenOnAStuckDisk(t *testing.T) {
	var d disk
	h := newHost(t, logs.Config{}, d.open, "sv_audit_log audit.jsonl; logfile evening")
	free := make(chan struct{})
	var opens atomic.Int32
	h.background = later.Go
	h.open = func(name string) (io.WriteCloser, error) {
		opens.Add(1)
		<-free
		return d.open(name)
	}
	for range 5 {
		h.Reopen()
	}
	if n := strings.Count(h.log.String(), "[engine/logfile]: still waiting for the disk to open 'evening'\n"); opens.Load() != 2 || n != 4 {
		t.Errorf("%d files are being opened, said %d times in\n%s", opens.Load(), n, h.log.String())
	}
	h.Log(console.Standard, "server", "to the old file")
	close(free)
	for range 2 {
		(<-h.tasks)()
	}
	h.Log(console.Standard, "server", "to the new file")
	h.Close()
	testenv.Eventually(t, "the old file is closed", func() bool { return strings.Contains(d.content("dumps/evening.txt"), "to the old file\n") })
	testenv.Check(t, strings.Contains(d.content("dumps/evening.txt"), "to the new file\n"), "%s", d.content("dumps/evening.txt"))
}

// countedFile counts how often it is closed.
type countedFile struct {
	io.WriteCloser
	closed chan struct{}
}

func (f countedFile) Close() error {
	f.closed <- struct{}{}
	return f.WriteCloser.Close()
}
