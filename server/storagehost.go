package server

import (
	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/server/storage"
)

// newStorage creates the broker between the worlds and the storage.
func newStorage(s *Server) *storage.Broker {
	return storage.New(storage.Config{Host: storageHost{s}, OpenStore: s.cfg.OpenStorage, OpenRanks: s.cfg.OpenRanks})
}

// storageHost is the server behind its storage. It implements storage.Host.
type storageHost struct{ s *Server }

// Queue implements storage.Host.
func (h storageHost) Queue(cmd game.Command) { h.s.queueCommand(cmd) }

// Print implements storage.Host.
func (h storageHost) Print(level int, system, line string) { h.s.print(level, system, line) }

// Match implements storage.Host.
func (h storageHost) Match() (mapName, log string) { return h.s.maps.Played().Name, h.s.record.Log() }

// KeepsMatch implements storage.Host.
func (h storageHost) KeepsMatch() bool { return h.s.storesMatches() }
