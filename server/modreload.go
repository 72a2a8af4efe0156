package server

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/game/replay"
	"github.com/teeyard/teeyard/protocol/conn"
	"github.com/teeyard/teeyard/server/console"
	"github.com/teeyard/teeyard/server/later"
)

// modReload reads the mode and the mods of sv_mods that are made of a source, such as scripts, again
// beside the game. The world gets a new source as a command, so that the replay log has it.
type modReload struct {
	sources []string // those of the world's mode and mods, "" for those without one
	trouble later.Trouble
	next    conn.Time
	reading later.Job[[]modNews]
}

// modNews is a mode or mod that was read.
type modNews struct {
	world  *game.World // that it was read for
	index  int         // in modReload.sources: 0 is the mode
	name   string
	source string
	err    error
}

// modReloadInterval is how often files of mods are read, to see whether they changed.
const modReloadInterval = time.Second

// beginMods begins with the mode and the mods of a new world.
func (s *Server) beginMods(mode game.Mode, mods []game.Mod) {
	r := &s.modReload
	s.modCommands.panicked = nil
	s.hookClock.used = false
	s.hookClock.watch(mode)
	for _, m := range mods {
		s.hookClock.watch(m)
	}
	r.sources, r.trouble = append(r.sources[:0], sourceOf(mode)), later.Trouble{}
	for _, m := range mods {
		r.sources = append(r.sources, sourceOf(m))
	}
}

// sourceOf returns the source that a mode or mod is made of, "" for none.
func sourceOf(m any) string {
	if m, ok := m.(replay.Sourcer); ok {
		return string(m.Source())
	}
	return ""
}

// updateMods takes what was read of mods, and reads them again when it is time.
func (s *Server) updateMods(now conn.Time) {
	r := &s.modReload
	news, _ := r.reading.Take()
	for i := range news {
		s.takeMod(&news[i])
	}
	if s.settings.ModsWatch != 0 && now >= r.next {
		s.readMods(now)
	}
}

// readMods begins to read the mode and mods that are made of a source.
func (s *Server) readMods(now conn.Time) {
	r := &s.modReload
	r.next = now.Add(modReloadInterval)
	if r.reading.Running() || !slices.ContainsFunc(r.sources, func(source string) bool { return source != "" }) {
		return
	}
	var news []modNews
	if r.sources[0] != "" {
		news = append(news, modNews{world: s.world, name: s.gameMap.gameType})
	}
	for i, named := range s.gameMap.mods {
		if index := 1 + len(s.cfg.Mods) + i; r.sources[index] != "" {
			news = append(news, modNews{world: s.world, index: index, name: named.name})
		}
	}
	done := r.reading.Begin()
	s.cfg.Background(func() {
		for i := range news {
			n := &news[i]
			if n.index == 0 {
				n.source, n.err = readSource(s.findMode, n.name)
			} else {
				n.source, n.err = readSource(s.cfg.FindMod, n.name)
			}
		}
		done(news)
		s.transport.Wake()
	})
}

// readSource returns the source of a mode or mod that is read again, "" if it has none.
func readSource[M any](find func(name string) (func() M, error), name string) (string, error) {
	newM, err := find(name)
	if err != nil {
		return "", err
	}
	return sourceOf(newM()), nil
}

var errEmptied = errors.New("the file is empty")

// takeMod gives a mode or mod to the world if its source is another one.
func (s *Server) takeMod(n *modNews) {
	r := &s.modReload
	if n.err == nil && n.source == "" {
		n.err = errEmptied
	}
	switch {
	case n.world != s.world:
	case n.err != nil:
		if r.trouble.NoteError(n.err) {
			s.print(console.Warning, "mod", fmt.Sprintf("%s is not reloaded: %v", n.name, n.err))
		}
	case n.source != r.sources[n.index]:
		r.sources[n.index], r.trouble = n.source, later.Trouble{}
		s.queueCommand(game.Command{Kind: game.CmdReload, Value: game.ReloadMode + int32(n.index), Text: n.source})
	}
}
