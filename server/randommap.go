package server

import (
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"github.com/teeyard/teeyard/bridge"
	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/server/console"
	"github.com/teeyard/teeyard/server/later"
	"github.com/teeyard/teeyard/server/storage"
)

// randomMap is a map that is being looked for, since the ranks are asked.
type randomMap struct {
	finding later.Job[string] // its name, "" for none
	asker   game.PlayerID     // who called the vote, or Nobody
	none    string            // what to say if there is none
}

// randomMapTime is how long the ranks may take for an answer.
const randomMapTime = 10 * time.Second

// cmdRandomMap changes to one of the maps that players may vote for, another than the one of now: with the
// number of stars that the ranks have of it, or one that who called the vote has not finished.
func (s *Server) cmdRandomMap(call *console.Call) {
	stars, unfinished := int32(-1), call.Name == "random_unfinished_map"
	if len(call.Args) > 0 {
		stars = int32(call.Int(0))
	}
	if stars > 5 {
		stars = -1
	}
	by := bridge.PlayerIDOf(int32(call.Caller.ID))
	if caller, decides := s.votes.Deciding(); decides {
		by = caller
	}
	names := slices.DeleteFunc(s.votes.Maps(), func(name string) bool { return name == s.gameMap.svMap })
	rand.Shuffle(len(names), func(i, k int) { names[i], names[k] = names[k], names[i] })
	r := &s.randomMap
	r.asker, r.none = by, "No maps found on this server!"
	if unfinished {
		r.none = "You have no more unfinished maps on this server!"
	}
	who := ""
	if by >= 0 {
		who = s.playerName(by)
	}
	switch ranks := s.storage.Ranks(); {
	case len(names) == 0:
		r.finding.Start(later.Now, func() string { return "" })
	case ranks == nil || stars < 0 && !unfinished:
		r.finding.Start(later.Now, func() string { return names[0] })
	default:
		origin := game.RankOrigin{Server: s.storage.Settings.ServerName}
		r.finding.Start(s.cfg.Background, func() string {
			for _, name := range names {
				if fitsRandom(ranks, origin, name, stars, unfinished, who) {
					return name
				}
			}
			return ""
		})
	}
	s.tickRandomMap()
}

// fitsRandom reports whether a map has a number of stars, unless that is negative, and has not been finished by a
// player, if that is wanted.
func fitsRandom(ranks storage.Ranks, origin game.RankOrigin, name string, stars int32, unfinished bool, who string) bool {
	ask := func(r game.RankRequest) game.RankAnswer {
		r.Map, r.By = name, game.Nobody
		var asking later.Job[game.RankAnswer]
		ranks.Submit(&r, origin, asking.Begin())
		a, answered := asking.Wait(randomMapTime)
		if !answered {
			a.Err = "too late"
		}
		return a
	}
	if stars >= 0 {
		if a := ask(game.RankRequest{Op: game.RankMapInfo, Name: name}); a.Info == nil || a.Info.Name != name || a.Info.Stars != stars {
			return false
		}
	}
	if unfinished {
		if a := ask(game.RankRequest{Op: game.RankBest, Name: who}); a.Err != "" || a.Own != nil {
			return false
		}
	}
	return true
}

// tickRandomMap changes the map when one was found.
func (s *Server) tickRandomMap() {
	r := &s.randomMap
	name, found := r.finding.Take()
	switch {
	case !found:
	case name == "":
		s.votes.ForgetMapVote()
		s.print(console.Standard, "server", "no random map: "+r.none)
		if r.asker >= 0 && s.sessions[r.asker] != nil {
			s.sessions[r.asker].reply(r.none)
		}
	default:
		s.console.Execute("change_map "+console.Quote(name), console.Operator)
	}
}

// dumpAntibot says what DDNet-Server says without its module against bots.
func dumpAntibot(call *console.Call) { call.Print("antibot", "antibot support not compiled in") }

// suggestClient shows a player what operators suggest to those with other clients than DDNet's of now.
func (s *Server) suggestClient(c *session) {
	text := ""
	const updaterFixed = 707 // the first version of DDNet's client that updates itself
	switch v := c.clientVersion; {
	case s.isSeven(c), v == 0:
		text = s.settings.ClientSuggestion
	case v >= 15 && v < 100 || v == 502:
		text = s.settings.ClientSuggestionBot
	case v < updaterFixed:
		text = s.settings.ClientSuggestionOld
	}
	if text = strings.ReplaceAll(text, `\n`, "\n"); text != "" {
		ev := game.Event{Kind: game.EvBroadcast, To: game.MaskOne(c.id), Player: game.Nobody, Target: game.Nobody, Text: text}
		c.bridge.SendEvent(s.world, &ev)
		c.modView.Hold(text, s.world.Tick())
	}
}

// tickEmpty does what operators want of a server that the last client has left.
func (s *Server) tickEmpty() {
	used := slices.ContainsFunc(s.sessions[:], func(c *session) bool { return c != nil })
	if left := s.used && !used; left {
		if s.settings.ShutdownWhenEmpty != 0 {
			s.shutdown.requested = true
		}
		if s.settings.ReloadWhenEmpty != 0 {
			s.rereadMap()
		}
		if s.settings.ReloadWhenEmpty == 1 {
			s.settings.ReloadWhenEmpty = 0
		}
	}
	s.used = used
}
