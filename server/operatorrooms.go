package server

import (
	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/server/internal/announce"
)

// newOperatorRooms creates the parts of the server with which operators work: console lines, logs,
// the external console, files and announcements.
func (s *Server) newOperatorRooms() {
	s.lines = consoleLines{
		print: s.printFor,
		queue: func(cmd game.Command) (place int) { s.queueCommand(cmd); return len(s.pendingCommands) },
	}
	s.logs = newLogs(s)
	s.econ = newEcon(s)
	s.files = newFiles(s)
	s.announcements = announce.New(announce.Config{Files: s.cfg.Files, Background: s.cfg.Background, AnyInGame: s.anyInGame, Say: s.sayToAll})
	s.output = output{
		warned: s.lines.noteWarning, enabled: s.logEnabled,
		logs: []func(int, string, string){s.logs.Log, s.econ.Print}, operators: s.printToOperators,
	}
}
