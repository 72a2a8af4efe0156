// Package resume keeps the match of a server, so that its next start continues it.
//
// The stored match may be the cause of a crash. Load therefore marks a match as tried, and does not
// return a match that is marked. The loop of the server calls the methods of Keeper. They wait for
// the disk for two seconds at most.
package resume

import (
	"errors"
	"fmt"
	"io/fs"
	"time"

	"github.com/teeyard/teeyard/server/console"
	"github.com/teeyard/teeyard/server/internal/later"
)

// Store stores matches. One goroutine at a time uses it, and the game does not wait for it.
type Store interface {
	// Load returns the content that was last stored under a name. The error is fs.ErrNotExist if
	// there is none.
	Load(name string) ([]byte, error)
	// Store replaces the content as a whole. It contains addresses of players, so only the operator
	// may read it.
	Store(name string, content []byte) error
	// Remove removes the content.
	Remove(name string) error
}

// MaxAge is the age from which on a match is not continued.
const MaxAge = time.Minute

// closeTimeout is the longest wait for the disk.
const closeTimeout = 2 * time.Second

// errStuckDisk is the error of Load if the store does not answer.
var errStuckDisk = errors.New("the disk does not answer")

// Config is the configuration of a [Keeper].
type Config struct {
	Store Store // nil keeps nothing
	// Name returns the name of the match in the store.
	Name func() string
	// Background runs a function beside the loop.
	Background func(f func())
	// Warn prints why a match cannot be stored.
	Warn func(text string)
}

// Keeper keeps a match in a store.
type Keeper struct {
	Enabled int // sv_resume, ours: 0 or 1

	cfg     Config
	kept    bool // there is something in the store
	storing later.Job[error]
	trouble later.Trouble // as printed last
}

// New returns a Keeper.
func New(cfg Config) *Keeper { return &Keeper{cfg: cfg} }

// Register adds the variable to a console.
func (k *Keeper) Register(c *console.Console) error {
	return c.RegisterInt(console.IntVar{
		Name: "sv_resume", Help: "Store the match and continue it if the server starts within a minute after a crash or update",
		Flags: console.Server | console.Save, Value: &k.Enabled, Max: 1,
	})
}

// IsOn reports whether matches are stored.
func (k *Keeper) IsOn() bool { return k.Enabled != 0 && k.cfg.Store != nil }

// Kept reports whether there is something in the store, as far as the Keeper knows.
func (k *Keeper) Kept() bool { return k.kept }

// Load returns the match in the store, and marks it as tried. The error is fs.ErrNotExist if the
// store has none. A match that was tried before, or that is older than MaxAge, is an error, too.
func (k *Keeper) Load() (*Match, error) {
	type result struct {
		match *Match
		err   error
	}
	var loading later.Job[result]
	store, name := k.cfg.Store, k.cfg.Name()
	loading.Start(later.Go, func() result {
		m, err := load(store, name)
		return result{m, err}
	})
	r, loaded := loading.Wait(closeTimeout)
	if !loaded {
		r.err = errStuckDisk
	}
	k.kept = !errors.Is(r.err, fs.ErrNotExist)
	return r.match, r.err
}

// load is Load without a limit of its time.
func load(store Store, name string) (*Match, error) {
	b, err := store.Load(name)
	if err != nil {
		return nil, err
	}
	m, err := Parse(b)
	if err != nil {
		return nil, err
	}
	age := time.Duration(time.Now().UnixMilli()-m.Time) * time.Millisecond
	switch {
	case m.Tried:
		return nil, errors.New("a server that resumed it ended too soon")
	case age > MaxAge || age < -MaxAge:
		return nil, fmt.Errorf("it is %v old", age.Round(time.Second))
	}
	m.Tried = true
	if b, err = m.Append(nil); err != nil {
		return nil, err
	}
	return m, store.Store(name, b)
}

// Busy reports whether the store is busy with a match. It prints why the match before could not be
// stored.
func (k *Keeper) Busy() bool {
	if err, stored := k.storing.Take(); stored {
		k.report(err)
	}
	return k.storing.Running()
}

// Keep stores a match, or removes the match in the store if m is nil. While the store is busy, Keep
// does nothing.
func (k *Keeper) Keep(m *Match) {
	if k.Busy() {
		return
	}
	k.kept = m != nil
	store, name := k.cfg.Store, k.cfg.Name()
	k.storing.Start(k.cfg.Background, func() error {
		if m == nil {
			return store.Remove(name)
		}
		b, err := m.Append(nil)
		if err != nil {
			return err
		}
		return store.Store(name, b)
	})
}

// Wait waits until the match is stored, or cannot be stored, at the end of a server that keeps
// another match after it.
func (k *Keeper) Wait() { k.storing.Wait(closeTimeout) }

// Close waits until the match is stored.
func (k *Keeper) Close() {
	if err, stored := k.storing.Wait(closeTimeout); stored {
		k.report(err)
	}
}

// report prints why matches cannot be stored, once.
func (k *Keeper) report(err error) {
	if errors.Is(err, fs.ErrNotExist) { // there was nothing to remove
		err = nil
	}
	if k.trouble.NoteError(err) && err != nil {
		k.cfg.Warn(fmt.Sprintf("the match cannot be stored for the next start (sv_resume 0 turns this off): %v", err))
	}
}
