package server

import (
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/internal/words"
	"github.com/teeyard/teeyard/protocol/conn"
	"github.com/teeyard/teeyard/server/console"
	"github.com/teeyard/teeyard/server/internal/modhost"
	"github.com/teeyard/teeyard/server/resume"
)

// A server that ends by a crash or for an update leaves its match to the next server (sv_resume).
// While clients play, it stores the state of the world and the seats every few seconds, and at its
// end. A server that starts within a minute with the same configuration continues the match.
//
// The server keeps the seats as after a timeout (see timeouts.go). A client gets its seat back if
// it has the same address and name, or sends the same timeout code. The world stands still until
// the first client is there.

const (
	// resumeInterval is the time between two states that are stored.
	resumeInterval = 2 * time.Second
	// resumeTrial is how long a resumed match has to run before it counts as sound.
	resumeTrial = 10 * time.Second
)

// resumption is the match that the server stores, and the match that it continues.
type resumption struct {
	keeper     *resume.Keeper
	configured resume.Settings // as the configuration has them
	from       *resume.Match   // that the first world continues, nil for none
	standUntil conn.Time       // the world stands still until then, or until a client comes
	nextSave   conn.Time
	soundAt    conn.Time // the resumed match counts as sound then
}

// gameID returns the ID of the match that the world continues, "" for none.
func (r *resumption) gameID() string {
	if r.from == nil {
		return ""
	}
	return r.from.GameID
}

// newKeeper returns the keeper of the match.
func (s *Server) newKeeper() *resume.Keeper {
	return resume.New(resume.Config{
		Store: s.cfg.Resume,
		// Servers in the same folder have different ports.
		Name:       func() string { return "resume-" + strconv.Itoa(s.settings.Port) + ".state" },
		Background: func(f func()) { s.cfg.Background(f) },
		Warn:       func(text string) { s.print(console.Warning, "server", text) },
	})
}

// sameMatch reports whether two settings have the same map, game type and mods.
func sameMatch(a, b *resume.Settings) bool {
	chosen := a.GameTypeSet != b.GameTypeSet && a.GameType == modhost.DefaultGameType // by the map in one of them
	return a.Map == b.Map && strings.EqualFold(a.GameType, b.GameType) && !chosen && a.Mods == b.Mods
}

// resumableSettings returns the settings that the world has.
func (s *Server) resumableSettings() resume.Settings {
	rules := s.gameRules()
	rules.InactiveTime = s.rules.InactiveTime
	return resume.Settings{
		Map: s.maps.Settings.Map, GameType: s.mods.Settings.GameType, GameTypeSet: s.mods.IsGameTypeSet(), Mods: s.mods.Settings.Mods,
		InactiveTimeSet: s.rules.IsInactiveTimeSet(), Rules: rules, Tuning: s.tuning,
	}
}

// resumeWorld starts the first world from the stored match. It returns false if no match can be
// continued.
func (s *Server) resumeWorld() bool {
	r := &s.resume
	r.configured = s.resumableSettings()
	if !r.keeper.IsOn() {
		return false
	}
	m, err := r.keeper.Load()
	if errors.Is(err, fs.ErrNotExist) {
		return false
	}
	if err == nil {
		err = s.startFrom(m)
	}
	if err != nil {
		s.print(console.Warning, "server", fmt.Sprintf("the previous match is not resumed: %v", err))
		s.maps.Settings.Map = r.configured.Map
		s.mods.Set(r.configured.GameType, r.configured.Mods, r.configured.GameTypeSet)
		s.rules.Rules = r.configured.Rules
		s.tuning = r.configured.Tuning
		r.from = nil
		return false
	}
	return true
}

// startFrom starts the first world from a saved match. Settings that operators have changed since
// the configuration was read keep their values, unless the configuration has changed. A changed one
// is accepted if it now has the settings of the match, as after SIGHUP.
func (s *Server) startFrom(m *resume.Match) error {
	was, is := &m.Configured, &s.resume.configured
	if !sameMatch(was, is) && !sameMatch(&m.Settings, is) {
		return errors.New("the configuration has a different map, game type or mods")
	}
	s.maps.Settings.Map = m.Settings.Map
	s.mods.Set(m.Settings.GameType, m.Settings.Mods, m.Settings.GameTypeSet)
	if was.Rules == is.Rules {
		s.rules.Rules = m.Settings.Rules
		if m.Settings.InactiveTimeSet {
			s.rules.SetInactiveTime()
		}
	}
	if was.Tuning == is.Tuning {
		s.tuning = m.Settings.Tuning
	}
	read, err := s.maps.Read()
	if err != nil {
		return err
	}
	if !read.HasSum(m.MapSHA256) {
		return errors.New("the map has changed")
	}
	s.resume.from = m
	if err = s.startWorld(read); err == nil {
		copy(s.addrHashKey[:], m.Key)
		s.storage.Repeat(m.Requests, s.world.Tick())
	}
	return err
}

// resumeSeats keeps the seats of the players of a resumed world, and lets the others leave it.
func (s *Server) resumeSeats(now conn.Time) {
	m := s.resume.from
	s.resume.from = nil
	if m == nil {
		return
	}
	tick := s.world.Tick()
	s.clock.tick, s.clock.start = tick, now.Add(-time.Duration(tick)*tickDuration)
	s.resume.standUntil, s.resume.nextSave, s.resume.soundAt = now.Add(resume.MaxAge), now.Add(resumeTrial), now.Add(resumeTrial)
	if rules := s.gameRules(); rules != s.world.Rules() {
		s.queueCommand(game.Command{Kind: game.CmdSetRules, Player: game.Nobody, Target: game.Nobody, Rules: &rules})
	}
	if tuning := s.tuning; tuning != s.world.Tuning() && !s.world.IsDDRace() {
		s.queueCommand(game.Command{Kind: game.CmdTuneParams, Player: game.Nobody, Target: game.Nobody, Tuning: &tuning})
	}
	kept := 0
	for _, seat := range m.Seats {
		if s.resumeSeat(now, &seat) {
			kept++
		}
	}
	for id := range game.PlayerID(game.MaxPlayers) {
		p, joined := s.world.Player(id)
		switch {
		case !joined:
		case s.sessions[id] != nil, s.world.NPCs().Has(id): // bots.Advance finds the latter
			s.seats.teams[id] = p.Team
		case p.InGame && p.Flags&game.PlayerFlagBot != 0:
			s.seats.teams[id] = p.Team
			s.bots.Restore(id, s.now)
		default:
			s.leaveSeat(id, "did not come back")
		}
	}
	s.print(console.Standard, "server", fmt.Sprintf("the previous match continues; its %s may come back within a minute", words.Count(kept, "player")))
}

// resumeSeat keeps a seat of a resumed world. It returns false if its player is not there.
func (s *Server) resumeSeat(now conn.Time, seat *resume.Seat) bool {
	p, _ := s.world.Player(seat.ID)
	if !p.InGame || s.sessions[seat.ID] != nil || !seat.Peer.IsValid() {
		return false
	}
	c, err := s.newSession(now, seat.ID, seat.Peer, s.versions[0])
	if err != nil {
		return false
	}
	c.state, c.enteredAt, c.name, c.timeoutCode = stateInGame, now, seat.Name, seat.Timeout
	c.hasProfile, c.announced, c.resumed = true, true, true
	s.sessions[seat.ID] = c
	s.hold(now, c)
	c.heldUntil = now.Add(resume.MaxAge)
	s.queueCommand(game.Command{Kind: game.CmdPlayerFlags, Player: c.id, Target: game.Nobody})
	return true
}

// takeResumedSeat gives a client the seat that it had in a resumed match, now that its name is
// known. The client has not been told which seat it has. takeResumedSeat returns false without such
// a seat.
func (s *Server) takeResumedSeat(c *session) bool {
	old := s.findResumed(c)
	if old == nil {
		return false
	}
	c.back = true
	s.swapSeats(c, old)
	s.restoreAdmin(c)
	s.print(console.Info, "server", fmt.Sprintf("client is back after a restart. cid=%d addr=%s", c.id, c.peer))
	return true
}

// storesMatches reports whether a server that starts after a crash would continue this match.
func (s *Server) storesMatches() bool {
	return s.resume.keeper.IsOn() && s.numClients() > 0 && s.now >= s.resume.soundAt
}

// updateResume stores the match when it is due.
func (s *Server) updateResume(now conn.Time) {
	r := &s.resume
	if s.storage.Release(s.storesMatches(), r.keeper.Busy()) {
		r.keeper.Keep(s.matchToKeep())
	}
	if now < r.nextSave {
		return
	}
	r.nextSave = now.Add(resumeInterval)
	playing := slices.ContainsFunc(s.sessions[:], func(c *session) bool { return c != nil })
	switch {
	case !r.keeper.IsOn() || !playing:
		if r.keeper.Kept() {
			r.keeper.Keep(nil)
		}
	case s.numClients() > 0:
		r.keeper.Keep(s.matchToKeep())
	}
}

// standStill stops the clock of a resumed world until the first of its players is there.
func (s *Server) standStill(now conn.Time) {
	switch r := &s.resume; {
	case r.standUntil == 0:
	case s.numClients() > 0 || now >= r.standUntil:
		r.standUntil = 0
	default:
		s.clock.start = now.Add(-time.Duration(s.clock.tick) * tickDuration)
	}
}

// closeResume stores the match for the next server when this one ends, and waits for the disk.
func (s *Server) closeResume() {
	r := &s.resume
	if !r.keeper.IsOn() || s.world == nil {
		return
	}
	if s.numClients() > 0 || s.hasResumed() {
		r.keeper.Wait()
		r.keeper.Keep(s.matchToKeep())
	}
	r.keeper.Close()
	r.nextSave = 1 << 62 // never
}

// matchToKeep returns the current state of the match.
func (s *Server) matchToKeep() *resume.Match {
	m := &resume.Match{
		Time: time.Now().UnixMilli(), Configured: s.resume.configured, Settings: s.resumableSettings(),
		MapSHA256: hex.EncodeToString(s.maps.Played().SHA256[:]), Key: s.addrHashKey[:],
		World: s.world.AppendState(nil), Requests: s.storage.Unanswered(), GameID: s.storage.GameID(),
	}
	m.Settings.Map = s.maps.Played().Setting // and not the next one
	for id, c := range s.sessions {
		if c != nil && c.state == stateInGame && !c.dropping {
			m.Seats = append(m.Seats, resume.Seat{ID: game.PlayerID(id), Name: c.name, Peer: c.peer, Timeout: c.timeoutCode})
		}
	}
	return m
}
