package server

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/teeyard/teeyard/bridge"
	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/internal/safetext"
	"github.com/teeyard/teeyard/internal/words"
	"github.com/teeyard/teeyard/protocol/packet"
	"github.com/teeyard/teeyard/server/console"
	"github.com/teeyard/teeyard/server/internal/fill"
	"github.com/teeyard/teeyard/server/logline"
)

// commands is the server with the commands of its console.
type commands struct{ *Server }

// worldCommand returns a console command that queues a command of a kind for the world.
func (s commands) worldCommand(kind game.CommandKind) func(*console.Call) {
	return func(*console.Call) {
		s.queueCommand(game.Command{Kind: kind, Player: game.Nobody, Target: game.Nobody})
	}
}

// teamCommand is worldCommand for a command without an effect in games without teams, where it
// prints nothing, as in the original, unless a vote runs it.
func (s commands) teamCommand(kind game.CommandKind) func(*console.Call) {
	run := s.worldCommand(kind)
	return func(call *console.Call) {
		if _, decides := s.votes.Deciding(); decides && s.world.GameFlags()&game.GameFlagTeams == 0 {
			call.Warn("server", "%s: %s has no teams", call.Name, s.world.ModeName())
			return
		}
		run(call)
	}
}

func (s commands) status(call *console.Call) {
	for id, c := range s.sessions {
		if s.bots.Has(game.PlayerID(id)) {
			info, _ := s.world.Player(game.PlayerID(id))
			call.Print("server", "id=%d addr=%s client=0 name=%s score=%d (Bot)", id, fill.Addr, logline.Quote(info.Profile.Name), info.Score)
		}
		if c == nil {
			continue
		}
		if c.state != stateInGame {
			call.Print("server", "id=%d addr=%s connecting", id, c.peer)
			continue
		}
		info, _ := s.world.Player(game.PlayerID(id))
		auth := ""
		if c.rcon.authed {
			auth = [...]string{"(Admin)", "(Mod)", "(Helper)"}[c.rcon.level]
		}
		if c.isHeld() {
			auth = "(timed out)"
		}
		if s.logs.Dialect() == logline.DDNet {
			version := fmt.Sprint(c.clientVersion)
			if s.isSeven(c) {
				version = "0.7:0"
			}
			switch {
			case c.rcon.authed:
				auth = fmt.Sprintf(" key=%s %s", safetext.Line(c.rcon.key), auth)
			case auth != "":
				auth = " " + auth
			}
			call.Print("server", "id=%d addr=%s name=%s client=%s secure=%s flags=0%s", id, c.peer,
				logline.Quote(info.Profile.Name), version, yesOrNo(c.addrProven), auth)
			continue
		}
		call.Print("server", "id=%d addr=%s client=%s name=%s score=%d %s", id, c.peer, c.clientVersionText(),
			logline.Quote(info.Profile.Name), info.Score, auth)
	}
	s.lines.within(new(consoleLine), func() { // status did what it says
		for _, text := range slices.Concat(s.Problems(), warnings(s.Server)) {
			call.Warn("server", "%s", text)
		}
	})
}

// spectatorSlots sets sv_player_slots as the variable of older servers means it: so many clients of
// sv_max_clients may not play.
func (s commands) spectatorSlots(call *console.Call) {
	v := s.rules
	if len(call.Args) > 0 {
		s.console.Execute(fmt.Sprintf("sv_player_slots %d", max(int(v.MaxClients)-max(call.Int(0), 0), 0)), call.Caller)
		return
	}
	call.Print("Console", "Value: %d", v.MaxClients-v.PlayerSlots)
}

func (s commands) logout(call *console.Call) {
	if id := call.Caller.ID; id >= 0 {
		s.sessions[id].logout(call.Caller, "")
	}
}

// showAddresses sets or prints whether the lines for an operator in the game have addresses.
func (s commands) showAddresses(call *console.Call) {
	id := call.Caller.ID
	if id < 0 {
		return // as DDNet-Server
	}
	r := &s.sessions[id].rcon
	if len(call.Args) > 0 {
		r.showAddresses = call.Int(0) != 0
		return
	}
	value := 0
	if r.showAddresses {
		value = 1
	}
	call.Print("server", "Value: %d", value)
}

// sessionArg returns the session whose client id is the first argument, nil if there is none.
func (s commands) sessionArg(call *console.Call) *session {
	id := call.Int(0)
	if id < 0 || id >= len(s.sessions) {
		return nil
	}
	return s.sessions[id]
}

// maxKickReason is the longest reason that clients show, besides "Kicked ()".
const maxKickReason = packet.MaxCloseReason - len("Kicked ()")

func (s commands) kick(call *console.Call) {
	id, c := call.Int(0), s.sessionArg(call)
	switch who := &call.Caller; {
	case id >= 0 && id < len(s.sessions) && s.bots.Has(game.PlayerID(id)):
		call.Warn("server", "client %d is a bot; sv_bots or a mod sets the number of bots", id)
	case c == nil:
		call.Warn("server", "invalid client id to kick")
	case id == who.ID:
		call.Warn("server", "you can't kick yourself")
	case who.IsRemote() && c.rcon.authed && c.rcon.level < who.Level:
		call.Warn("server", "kick command denied")
	case call.Arg(1) != "":
		c.drop("Kicked (" + call.Cut(1, "server", "reason", maxKickReason) + ")")
	default:
		c.drop("Kicked by console")
	}
}

func (s commands) say(call *console.Call) {
	text := call.Cut(0, "server", "text", bridge.MaxText)
	if call.Caller.Print != nil {
		call.Caller.Print("*** " + safetext.Line(text)) // others see the chat
	}
	s.queueCommand(game.Command{Kind: game.CmdSay, Player: game.Nobody, Target: game.Nobody, Chat: game.ChatAll, Text: text})
}

func (s commands) broadcast(call *console.Call) {
	text := call.Cut(0, "server", "text", bridge.MaxText)
	s.queueCommand(game.Command{Kind: game.CmdBroadcast, Player: game.Nobody, Target: game.Nobody, Text: text})
}

func (s commands) pause(call *console.Call) {
	v := game.PauseToggle // what is paused then: other commands may come before this one
	if len(call.Args) > 0 {
		v = int32(min(max(call.Int(0), -1), 1000))
	}
	s.queueCommand(game.Command{Kind: game.CmdPause, Player: game.Nobody, Target: game.Nobody, Value: v})
}

func (s commands) restart(call *console.Call) {
	v := int32(0)
	if len(call.Args) > 0 {
		v = int32(min(max(call.Int(0), -1), 1000))
	}
	s.queueCommand(game.Command{Kind: game.CmdRestart, Player: game.Nobody, Target: game.Nobody, Value: v})
}

func (s commands) setTeam(call *console.Call) {
	c := s.sessionArg(call)
	if c == nil {
		call.Warn("server", "invalid client id")
		return
	}
	team := game.Team(min(max(call.Int(1), -1), 1))
	call.Print("server", "moved client %d to team %d", c.id, team)
	s.queueCommand(game.Command{Kind: game.CmdForceTeam, Player: c.id, Target: game.Nobody, Team: team, Value: int32(min(max(call.Int(2), 0), 1440))})
}

func (s commands) setTeamAll(call *console.Call) {
	team := game.Team(min(max(call.Int(0), -1), 1))
	s.queueCommand(game.Command{Kind: game.CmdForceTeam, Player: game.Nobody, Target: game.Nobody, Team: team})
}

func (s commands) shutDown(call *console.Call) {
	s.shutdown.requested, s.shutdown.reason = true, call.Arg(0)
}

// drainServer is the command drain.
func (s commands) drainServer(call *console.Call) {
	d, arg := &s.drain, call.Arg(0)
	switch port := call.Int(0); {
	case strings.EqualFold(arg, "off"):
		if !d.active {
			call.Warn("server", "drain: the server is not draining")
			return
		}
		if d.deadline != 0 {
			call.Warn("server", "drain: cannot stop, because SIGTERM ends this server")
			return
		}
		*d = drain{}
		s.listing.Hide(false)
		call.Print("server", "drain: stopped; new clients may join again")
		s.sayToAll("The server continues after this match")
	case arg != "" && (port < 1 || port > 0xffff || arg != strconv.Itoa(port) || port == int(s.Addr().Port())):
		call.Warn("server", "drain: '%s' is not the port of another server on this machine; without a port, the server only tells clients that it ends", arg)
		return
	default:
		if d.port = port; !d.active {
			d.begin(s.Server, port)
		}
		call.Print("server", "drain: new clients are rejected; the server ends after this match, or as soon as the %s left "+
			"(drain off cancels this)%s", words.Clause(s.numClients(), "client", "has", "have"), d.whereTo())
	}
}
