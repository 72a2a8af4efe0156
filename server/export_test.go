package server

import (
	"crypto/sha256"
	"flag"
	"hash/crc32"
	"slices"
	"time"

	"github.com/teeyard/teeyard/bridge"
	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/halflife/wire"
	"github.com/teeyard/teeyard/query"
	"github.com/teeyard/teeyard/server/chat"
	"github.com/teeyard/teeyard/server/console"
	"github.com/teeyard/teeyard/server/internal/gamemap"
)

var update = flag.Bool("update", false, "write the golden files anew")

// The limits that tests of package server_test reach.
const (
	MapBytesPerTick = gamemap.BytesPerTick
	MaxMapSends     = gamemap.MaxSends
	MaxKickReason   = maxKickReason
	MaxListedMaps   = gamemap.MaxListed
	MaxReply        = maxReply
	ImpureTuning    = impureTuning
)

// ReplyRate is the limit of replies to chat commands.
var ReplyRate = replyRate

// Functions of the server that tests of package server_test call without a client.
var (
	BuildVersion = buildVersion
	LogFlag      = func(s *Server, ev *game.Event) { eventLog{s}.flag(ev) }
	QueueCommand = (*Server).queueCommand
	QueueRequest = (*Server).queueRequest
	ReloadNow    = (*Server).reload
	TuneLines    = tuneLines
)

// ShutdownRequested reports whether a command has asked the server to end, and the reason.
func (s *Server) ShutdownRequested() (reason string, ok bool) {
	return s.shutdown.reason, s.shutdown.requested
}

// TerminateNow is Terminate without Run.
func (s *Server) TerminateNow() (atMost time.Duration) { return s.drain.terminate(s) }

// SetMapFile changes the file that clients download, and returns it.
func (s *Server) SetMapFile(change func(file []byte) []byte) []byte {
	file := change(slices.Clone(s.maps.Played().File))
	setMapFile(s.maps.Played(), file)
	return file
}

// setMapFile changes the file of a map that has only one.
func setMapFile(m *gamemap.Map, file []byte) {
	if m.Compatible() != &m.Map || m.Modern() != &m.Map {
		panic("the map has files for other clients")
	}
	m.File, m.CRC, m.SHA256 = file, crc32.ChecksumIEEE(file), sha256.Sum256(file)
}

// Restart makes the server restart the map, as at the end of a match.
func (s *Server) Restart() { s.maps.Restart() }

// Chat returns the commands of the chat.
func (s *Server) Chat() *chat.Chat { return s.chat }

// Language returns the server's console.
func (s *Server) Language() *console.Console { return s.console }

// ModView returns the text of mods that a player sees, and reports whether the player sees a menu
// with a line.
func (s *Server) ModView(id game.PlayerID, line string) (text string, hasLine bool) {
	lines, _ := s.world.MenuLines(id)
	text, hasMenu := s.sessions[id].modView.Shown()
	return text, hasMenu && slices.Contains(lines, line)
}

// ListedPlayers returns the information for server browsers, and the players for Half-Life.
func ListedPlayers(s *Server) (info query.Info, players []wire.Player) {
	s.listing.FillInfo(&info)
	s.listing.HalfLife.Info()
	return info, s.listing.HalfLife.Players(nil)
}

// ServerInfo returns the description of the server for its clients.
func ServerInfo(s *Server) bridge.ServerInfo { return s.listing.ServerInfo() }

// Pending returns the number of jobs of the demo recorder that are not done.
func (s *Server) Pending() int { return s.record.Pending() }

// MapFile returns the file of the map.
func (s *Server) MapFile() []byte { return s.maps.Played().File }

// CompatibleFile returns the map file for clients that cannot read the newest format.
func (s *Server) CompatibleFile() []byte { return s.maps.Played().Compatible().File }
