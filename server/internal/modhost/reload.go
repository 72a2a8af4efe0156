package modhost

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/game/replay"
	"github.com/teeyard/teeyard/protocol/conn"
	"github.com/teeyard/teeyard/server/console"
	"github.com/teeyard/teeyard/server/internal/later"
)

// reload reads the sources of the mode and the mods again beside the loop, such as scripts. The
// world gets a new source with a command, so that the replay log contains it.
type reload struct {
	sources []string // of the mode and of each mod, "" without one
	trouble later.Trouble
	next    conn.Time
	reading later.Job[[]news]
}

// news is a mode or mod that was read.
type news struct {
	world  *game.World // for which it was read
	index  int         // in reload.sources: 0 is the mode
	name   string
	source string
	err    error
}

// reloadInterval is the time between two looks for changed sources.
const reloadInterval = time.Second

// beginReload notes the sources of the mode and the mods of a new world.
func (m *Mods) beginReload(made Made) {
	r := &m.reload
	r.sources, r.trouble = append(r.sources[:0], sourceOf(made.Mode)), later.Trouble{}
	for _, mod := range made.Mods {
		r.sources = append(r.sources, sourceOf(mod))
	}
}

// sourceOf returns the source of a mode or mod, "" without one.
func sourceOf(m any) string {
	if m, ok := m.(replay.Sourcer); ok {
		return string(m.Source())
	}
	return ""
}

// Update takes the sources that were read, and reads them again when it is time.
func (m *Mods) Update(now conn.Time) {
	r := &m.reload
	all, _ := r.reading.Take()
	for i := range all {
		m.take(&all[i])
	}
	if m.Settings.Watch != 0 && now >= r.next {
		m.read(now)
	}
}

// read begins to read the sources.
func (m *Mods) read(now conn.Time) {
	r := &m.reload
	r.next = now.Add(reloadInterval)
	if r.reading.Running() || !slices.ContainsFunc(r.sources, func(source string) bool { return source != "" }) {
		return
	}
	var all []news
	if r.sources[0] != "" {
		all = append(all, news{world: m.world, name: m.ruleset.GameType})
	}
	for i, named := range m.ruleset.mods {
		if index := 1 + len(m.cfg.Mods) + i; r.sources[index] != "" {
			all = append(all, news{world: m.world, index: index, name: named.name})
		}
	}
	done := r.reading.Begin()
	m.cfg.Background(func() {
		for i := range all {
			n := &all[i]
			if n.index == 0 {
				n.source, n.err = readSource(m.findMode, n.name)
			} else {
				n.source, n.err = readSource(m.cfg.FindMod, n.name)
			}
		}
		done(all)
		m.cfg.Wake()
	})
}

// readSource reads the source of a mode or mod, "" without one.
func readSource[M any](find func(name string) (func() M, error), name string) (string, error) {
	newM, err := find(name)
	if err != nil {
		return "", err
	}
	return sourceOf(newM()), nil
}

var errEmptied = errors.New("the file is empty")

// take gives the world a source that has changed.
func (m *Mods) take(n *news) {
	r := &m.reload
	if n.err == nil && n.source == "" {
		n.err = errEmptied
	}
	switch {
	case n.world != m.world:
	case n.err != nil:
		if r.trouble.NoteError(n.err) {
			m.host.Print(console.Warning, "mod", fmt.Sprintf("%s is not reloaded: %v", n.name, n.err))
		}
	case n.source != r.sources[n.index]:
		r.sources[n.index], r.trouble = n.source, later.Trouble{}
		m.host.Queue(game.Command{Kind: game.CmdReload, Value: game.ReloadMode + int32(n.index), Text: n.source})
	}
}
