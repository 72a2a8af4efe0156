package server

import (
	"github.com/teeyard/teeyard/server/console"
)

// ddnetCommands are commands of the console that operators of DDNet know. They help in all modes, and
// stand in no list.
func (s *Server) ddnetCommands() []console.Command {
	const hidden = console.Server | console.Hidden
	return []console.Command{
		{Name: "pause_game", Help: "Pause/unpause game", Flags: hidden, Run: s.cmdPause},
		{Name: "random_map", Params: "?i[stars]", Help: "Change to a random map that players can vote for", Flags: hidden | console.Store, Run: s.cmdRandomMap},
		{Name: "random_unfinished_map", Params: "?i[stars]", Help: "Change to a random map that the caller of the vote has not finished", Flags: hidden | console.Store, Run: s.cmdRandomMap},
		{Name: "dump_antibot", Help: "Print that this server has no antibot module", Flags: hidden, Run: dumpAntibot},
	}
}
