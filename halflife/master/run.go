package master

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/teeyard/teeyard/halflife/internal/listable"
	"github.com/teeyard/teeyard/halflife/wire"
	"github.com/teeyard/teeyard/internal/atomicfile"
	"github.com/teeyard/teeyard/transport"
)

// ErrState is returned for unreadable, malformed and overwritten state files.
var ErrState = errors.New("master: bad state file")

const (
	saveInterval     = time.Minute
	maxState         = 64 << 20
	restoreProbeTime = time.Minute // duration over which the servers of a file are probed
)

// Run receives and answers datagrams until ctx ends, and writes the state file every minute. It
// returns the error of the connection or of the last write, or nil.
func (m *Master) Run(ctx context.Context, conn transport.Conn) error {
	defer context.AfterFunc(ctx, conn.Wake)()
	batch := make([]transport.Datagram, 64)
	save := conn.Now() + int64(saveInterval)
	var saved chan error // set while a file is being written
	reported := ""
	for ctx.Err() == nil {
		n, err := conn.ReadBatch(batch, conn.Now()+int64(time.Second)/2)
		if err != nil {
			return err
		}
		for _, d := range batch[:n] {
			m.Feed(d.ReceivedAt, d.Peer, d.Data)
		}
		now := conn.Now()
		m.Advance(now)
		if err := conn.Flush(); err != nil {
			return err
		}
		select {
		case err := <-saved:
			saved = nil
			text := ""
			if err != nil {
				text = err.Error()
			}
			if text != reported && err != nil && m.cfg.OnSaveError != nil {
				m.cfg.OnSaveError(err)
			}
			reported = text
		default:
		}
		if now >= save && saved == nil {
			save, saved = now+int64(saveInterval), make(chan error, 1)
			go func() { saved <- m.Save() }()
		}
	}
	if saved != nil {
		<-saved
	}
	return m.Save()
}

// state is the content of the state file.
type state struct {
	Servers []Server `json:"servers"`
}

// Save writes the state file, if one is configured. It returns an error instead of overwriting
// changes that another program, such as a second master, made since the last Save.
func (m *Master) Save() error {
	path := m.cfg.StateFile
	if path == "" {
		return nil
	}
	m.saving.Lock()
	defer m.saving.Unlock()
	if info, err := os.Stat(path); err == nil && m.saved != nil && (info.Size() != m.saved.Size() || !info.ModTime().Equal(m.saved.ModTime())) {
		return fmt.Errorf("%w: %s: another program changed it; give each master its own state file", ErrState, path)
	}
	b, err := json.MarshalIndent(state{m.Servers()}, "", "\t")
	if err != nil {
		return err
	}
	if err := atomicfile.Write(path, append(b, '\n')); err != nil {
		return err
	}
	m.saved, err = os.Stat(path)
	return err
}

// load reads the state file. It lists and probes servers that were seen within twice the server
// timeout.
func (m *Master) load() error {
	if m.cfg.StateFile == "" {
		return nil
	}
	b, err := os.ReadFile(m.cfg.StateFile)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("%w: %w", ErrState, err)
	}
	if len(b) > maxState {
		return fmt.Errorf("%w: %s: more than %d bytes", ErrState, m.cfg.StateFile, maxState)
	}
	return m.restore(b)
}

func (m *Master) restore(b []byte) error {
	var s state
	if err := json.Unmarshal(b, &s); err != nil {
		return fmt.Errorf("%w: %w", ErrState, err)
	}
	now, wall := transport.Monotonic(), m.cfg.Now()
	for i, v := range s.Servers {
		// If the clock was set back, the age is unknown. The probes find out whether the server is
		// alive.
		v.Seen = earlier(v.Seen, wall)
		v.Since = earlier(v.Since, wall)
		age := wall.Sub(v.Seen)
		if !listable.Is(transport.Peer{AddrPort: v.Address}, m.cfg.ListLAN) || m.servers[v.Address] != nil || age > 2*m.cfg.ServerTimeout ||
			m.perIP[v.Address.Addr()] >= m.cfg.MaxPerAddress || len(m.servers) >= m.cfg.MaxServers {
			continue
		}
		e := m.add(v.Address)
		e.info = wire.Info{Name: v.Name, Map: v.Map, Dir: v.Dir, Game: v.Game, Version: v.Version, Players: v.Players, Max: v.Max, Bots: v.Bots,
			Password: v.Password, Secure: v.Secure, AppID: v.AppID, Type: firstByte(v.Type), OS: firstByte(v.OS)}
		e.region, e.since, e.lastSeen, e.listed = v.Region, v.Since, v.Seen, true
		e.expiresAt = now + int64(m.cfg.ServerTimeout)
		// The probe begins with a delay and counts as its first request.
		e.tries = 1
		e.nextProbe = now + int64(restoreProbeTime)*int64(i)/int64(len(s.Servers))
		m.dirty = true
	}
	return nil
}

func earlier(a, b time.Time) time.Time {
	if b.Before(a) {
		return b
	}
	return a
}

func firstByte(s string) byte {
	if s == "" {
		return 0
	}
	return s[0]
}
