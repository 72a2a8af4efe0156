package access_test

import (
	"fmt"
	"iter"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/teeyard/teeyard/bans"
	"github.com/teeyard/teeyard/internal/testenv"
	"github.com/teeyard/teeyard/protocol/conn"
	"github.com/teeyard/teeyard/server/console"
	"github.com/teeyard/teeyard/server/internal/access"
)

// testHost is a server with clients and a console, in virtual time.
type testHost struct {
	*access.Control
	console *console.Console
	now     conn.Time
	clients []access.Client
	files   fstest.MapFS
	log     strings.Builder // lines of the log
	told    []string        // events that reach clients
	noted   []string        // targets of bans, and whether they are lifted
	byVote  bool
	ddnet   bool
}

// newTestHost returns a host with three clients: an administrator, a moderator and a player.
func newTestHost(t *testing.T, cfg access.Config) *testHost {
	h := &testHost{files: fstest.MapFS{}, clients: []access.Client{
		{ID: 0, Addr: addr(0), Name: "admin", Operator: true, Login: "default_admin", Level: console.LevelAdmin},
		{ID: 1, Addr: addr(1), Name: "mod", Operator: true, Login: "default_mod", Level: console.LevelMod},
		{ID: 5, Addr: addr(5), Name: "player"},
	}}
	cfg.Host = h
	cfg.LogFull = func() {}
	if cfg.Clock == nil {
		cfg.Clock = func() time.Time { return time.Unix(1e9, 0).Add(time.Duration(h.now)) }
	}
	cfg.ReplaceFile = func(name string, content []byte, mayReplace func([]byte) error) error {
		if old, ok := h.files[name]; ok {
			if err := mayReplace(old.Data); err != nil {
				return err
			}
		}
		h.files[name] = &fstest.MapFile{Data: content}
		return nil
	}
	h.Control = access.New(cfg)
	h.console = testenv.Must(console.New(console.Config{Files: h.files, Output: h.Print}))
	testenv.NoError(t, h.Register(h.console))
	for _, p := range h.Logins.LevelPasswords() {
		testenv.NoError(t, h.console.After(p.Variable, h.Logins.PasswordsChanged))
	}
	h.console.Start()
	return h
}

// run runs a line as an operator on the server's machine, and returns its output.
func (h *testHost) run(line string) string { return h.runAs(console.Operator, line) }

func (h *testHost) runAs(who console.Caller, line string) string {
	h.log.Reset()
	h.console.Execute(line, who)
	return h.log.String()
}

// caller returns a client as a caller at the remote console.
func (h *testHost) caller(id int) console.Caller {
	i := slices.IndexFunc(h.clients, func(c access.Client) bool { return c.ID == id })
	return console.Caller{Level: console.LevelAdmin, Flags: console.Server, ID: id, Addr: h.clients[i].Addr}
}

// takeTold returns the events that reached clients since the last call.
func (h *testHost) takeTold() []string {
	told := h.told
	h.told = nil
	return told
}

func (h *testHost) Now() conn.Time { return h.now }

func (h *testHost) Clients() iter.Seq[access.Client] { return slices.Values(h.clients) }

func (h *testHost) Drop(id int, reason string) {
	h.told = append(h.told, fmt.Sprintf("drop %d: %s", id, reason))
}

func (h *testHost) Logout(id int, _ console.Caller, reason string) {
	h.told = append(h.told, fmt.Sprintf("logout %d: %s", id, reason))
}

func (h *testHost) Print(_ console.Caller, _ int, system, line string) {
	fmt.Fprintf(&h.log, "[%s]: %s\n", system, line)
}

func (h *testHost) ExpectNames(names bool) { h.told = append(h.told, fmt.Sprint("names ", names)) }

func (h *testHost) Muted(line string) { h.told = append(h.told, line) }

func (h *testHost) NoteBan(b *bans.Ban, lifted bool) {
	h.noted = append(h.noted, fmt.Sprint(b.Target(), lifted))
}

func (h *testHost) ByVote() bool { return h.byVote }

func (h *testHost) InDDNet() bool { return h.ddnet }
