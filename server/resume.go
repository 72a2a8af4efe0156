package server

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io/fs"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/internal/words"
	"github.com/teeyard/teeyard/protocol/conn"
	"github.com/teeyard/teeyard/server/console"
	"github.com/teeyard/teeyard/server/later"
	"github.com/teeyard/teeyard/transport"
)

// A server that ends by a crash or for an update leaves its match to the next one (sv_resume).
// While somebody plays, it stores the state of the world and who has which seat every few
// seconds, and at its end. One that starts within a minute with the same configuration goes
// on from there. The seats are kept like those of players who timed out (see timeouts.go),
// and given back to those who come from the same address with the same name, or who send
// the same timeout code. The world stands still until the first of them is there.
//
// What is stored may be what made the server crash. Before it is used it is therefore marked
// as tried, and one that is marked is not used. After resumeTrial new states are stored.

// ResumeStore stores a match for the next start of the server, which continues it. One goroutine at
// a time uses it, and the game does not wait for it.
type ResumeStore interface {
	// Load returns the content that was last stored under a name. The error is fs.ErrNotExist if
	// there
	// is none.
	Load(name string) ([]byte, error)
	// Store replaces the content as a whole. It contains addresses of players, so only the operator
	// may
	// read it.
	Store(name string, content []byte) error
	// Remove removes the content.
	Remove(name string) error
}

const (
	// resumeInterval is the time between two states that are stored.
	resumeInterval = 2 * time.Second
	// resumeTime is how old a state may be, and how long its players may take to come back.
	resumeTime = time.Minute
	// resumeTrial is how long a resumed match has to run before it counts as sound.
	resumeTrial = 10 * time.Second
)

// resume is what the server knows about the match that it stores, and that it goes on with.
type resume struct {
	configured resumeSettings // as the configuration has them
	from       *savedMatch    // that the first world goes on with, nil for none
	standUntil conn.Time      // the world stands still until then, or until a client comes
	nextSave   conn.Time
	soundAt    conn.Time // the resumed match counts as sound then
	stored     bool      // there is something in the store
	storing    later.Job[error]
	unstored   later.Trouble // why the match cannot be stored, as printed last
}

// resumeSettings are the settings that a world depends on.
type resumeSettings struct {
	Map, GameType, Mods string
	GameTypeSet         bool // sv_gametype is not the default
	InactiveTimeSet     bool `json:",omitempty"` // sv_inactivekick_time was set
	Rules               game.Rules
	Tuning              game.Tuning
}

// sameMatch reports whether two settings have the same map, game type and mods.
func (r *resumeSettings) sameMatch(o *resumeSettings) bool {
	chosen := r.GameTypeSet != o.GameTypeSet && r.GameType == defaultGameType // by the map in one of them
	return r.Map == o.Map && strings.EqualFold(r.GameType, o.GameType) && !chosen && r.Mods == o.Mods
}

// savedMatch is a match in the store: a checksum of all, this as a line of JSON, and the state of the world.
type savedMatch struct {
	Format     int
	Time       int64 // of the state, ms since 1970
	Tried      bool  // a server went on with it
	Configured resumeSettings
	Settings   resumeSettings
	MapSHA256  string
	Key        []byte // Server.addrHashKey
	Seats      []savedSeat
	Requests   []savedRequest `json:",omitempty"` // to the storage, without an answer
	GameID     string         `json:",omitempty"` // storageHost.gameID
	Checksum   uint32         // CRC-32 of the state

	world []byte
}

// resumeFormat changes when a saved match means something else than before.
const resumeFormat = 1

// savedSeat is the seat of a player who may come back.
type savedSeat struct {
	ID      game.PlayerID
	Name    string
	Peer    transport.Peer
	Timeout uint64 `json:",omitempty"` // session.timeoutCode
}

var crcTable = crc32.MakeTable(crc32.Castagnoli)

// appendTo appends the match as it is stored.
func (m *savedMatch) appendTo(dst []byte) ([]byte, error) {
	m.Format, m.Checksum = resumeFormat, crc32.Checksum(m.world, crcTable)
	head, err := json.Marshal(m)
	if err != nil {
		return nil, err
	}
	at := len(dst)
	dst = append(append(append(append(dst, "00000000 "...), head...), '\n'), m.world...)
	copy(dst[at:], resumeSum(dst[at+len("00000000 "):]))
	return dst, nil
}

// resumeSum returns the checksum of a saved match in 8 digits.
func resumeSum(b []byte) string { return fmt.Sprintf("%08x", crc32.Checksum(b, crcTable)) }

// parse is the inverse of appendTo.
func (m *savedMatch) parse(b []byte) error {
	if sum, rest, _ := bytes.Cut(b, []byte(" ")); string(sum) == resumeSum(rest) {
		b = rest
	} else if !bytes.HasPrefix(b, []byte("{")) { // with which those of older programs begin
		return errors.New("the file is damaged")
	}
	head, world, found := bytes.Cut(b, []byte("\n"))
	if err := json.Unmarshal(head, m); err != nil || !found {
		return errors.New("the file is damaged")
	}
	switch m.world = world; {
	case m.Format != resumeFormat:
		return errors.New("the file is of another version")
	case m.Checksum != crc32.Checksum(world, crcTable) || len(m.Key) != len(hashKey{}):
		return errors.New("the file is damaged")
	}
	return nil
}

// resumeName is the name of the match in the store. Servers in the same folder have different
// ports.
func (s *Server) resumeName() string { return "resume-" + strconv.Itoa(s.settings.Port) + ".state" }

// resumableSettings returns the settings that the world has.
func (s *Server) resumableSettings() resumeSettings {
	rules := s.gameRules()
	rules.InactiveTime = s.rules.InactiveTime
	return resumeSettings{
		Map: s.settings.Map, GameType: s.settings.GameType, GameTypeSet: s.gameTypeSet, Mods: s.settings.Mods,
		InactiveTimeSet: s.inactiveTimeSet, Rules: rules, Tuning: s.tuning,
	}
}

// resumeWorld starts the first world as the one of the server before. It returns false if there
// is none to go on with.
func (s *Server) resumeWorld() bool {
	r := &s.resume
	r.configured = s.resumableSettings()
	if s.settings.Resume == 0 || s.cfg.Resume == nil {
		return false
	}
	m, err := s.loadMatch()
	if errors.Is(err, fs.ErrNotExist) {
		return false
	}
	r.stored = true
	if err == nil {
		err = s.startFrom(m)
	}
	if err != nil {
		s.print(console.Warning, "server", fmt.Sprintf("the previous match is not resumed: %v", err))
		s.settings.Map, s.settings.GameType, s.settings.Mods = r.configured.Map, r.configured.GameType, r.configured.Mods
		s.gameTypeSet = r.configured.GameTypeSet
		s.rules = r.configured.Rules
		s.tuning = r.configured.Tuning
		r.from = nil
		return false
	}
	return true
}

// loadMatch returns the match in the store, if it may be gone on with, and marks it as tried.
func (s *Server) loadMatch() (*savedMatch, error) {
	type result struct {
		match *savedMatch
		err   error
	}
	var loading later.Job[result]
	store, name := s.cfg.Resume, s.resumeName()
	loading.Start(later.Go, func() result {
		m := &savedMatch{}
		b, err := store.Load(name)
		if err == nil {
			err = m.parse(b)
		}
		age := time.Duration(time.Now().UnixMilli()-m.Time) * time.Millisecond
		switch {
		case err != nil:
		case m.Tried:
			err = errors.New("a server that resumed it ended too soon")
		case age > resumeTime || age < -resumeTime:
			err = fmt.Errorf("it is %v old", age.Round(time.Second))
		default:
			m.Tried = true
			if b, err = m.appendTo(nil); err == nil {
				err = store.Store(name, b)
			}
		}
		return result{m, err}
	})
	if r, loaded := loading.Wait(closeTimeout); loaded {
		return r.match, r.err
	}
	return nil, errStuckDisk
}

// startFrom starts the first world as that of a saved match. Settings that operators have changed
// since the configuration was read keep their values, unless the configuration is another one. It may
// have become what the match has, as by SIGHUP.
func (s *Server) startFrom(m *savedMatch) error {
	was, is := &m.Configured, &s.resume.configured
	if !was.sameMatch(is) && !m.Settings.sameMatch(is) {
		return errors.New("the configuration has a different map, game type or mods")
	}
	s.settings.Map, s.settings.GameType, s.settings.Mods = m.Settings.Map, m.Settings.GameType, m.Settings.Mods
	if s.gameTypeSet = m.Settings.GameTypeSet; s.gameTypeSet {
		s.setGameType()
	}
	if was.Rules == is.Rules {
		s.rules = m.Settings.Rules
		if m.Settings.InactiveTimeSet {
			s.setInactiveTime()
		}
	}
	if was.Tuning == is.Tuning {
		s.tuning = m.Settings.Tuning
	}
	gameMap, err := s.readMap(s.settings.Map)
	if err != nil {
		return err
	}
	if err = s.readRules(gameMap, s.wantedGameType(), s.settings.Mods, s.settings.ResetFile); err != nil {
		return err
	}
	if !gameMap.hasSum(m.MapSHA256) {
		return errors.New("the map has changed")
	}
	s.resume.from = m
	if err = s.startWorld(gameMap); err == nil {
		copy(s.addrHashKey[:], m.Key)
		s.repeatRequests(m.Requests)
		for _, name := range s.world.ModsOff() {
			s.modCommands.panicked = append(s.modCommands.panicked, fmt.Sprintf("the mod %s panicked before the match was resumed and is switched off", name))
		}
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
	s.resume.standUntil, s.resume.nextSave, s.resume.soundAt = now.Add(resumeTime), now.Add(resumeTrial), now.Add(resumeTrial)
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
	s.bots.setWorld(s.world)
	for id := range game.PlayerID(game.MaxPlayers) {
		p, joined := s.world.Player(id)
		switch {
		case !joined:
		case s.sessions[id] != nil, s.world.NPCs().Has(id): // runBots finds the latter
			s.seats.teams[id] = p.Team
		case p.InGame && p.Flags&game.PlayerFlagBot != 0:
			s.seats.teams[id] = p.Team
			s.bots.sit(id, s.now)
			s.bots.announced |= game.MaskOne(id)
		default:
			s.leaveSeat(id, "did not come back")
		}
	}
	s.print(console.Standard, "server", fmt.Sprintf("the previous match continues; its %s may come back within a minute", words.Count(kept, "player")))
}

// resumeSeat keeps a seat of a resumed world. It returns false if its player is not there.
func (s *Server) resumeSeat(now conn.Time, seat *savedSeat) bool {
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
	c.heldUntil = now.Add(resumeTime)
	s.queueCommand(game.Command{Kind: game.CmdPlayerFlags, Player: c.id, Target: game.Nobody})
	return true
}

// hasResumed reports whether seats of a resumed match are kept.
func (s *Server) hasResumed() bool {
	return slices.ContainsFunc(s.sessions[:], func(c *session) bool { return c != nil && c.resumed && c.isHeld() })
}

// findResumed returns the kept seat of a resumed match that may be that of a client: it has the
// client's address, and the client's name if that is known.
func (s *Server) findResumed(c *session) *session {
	for _, old := range s.sessions {
		if old != nil && old.resumed && old.isHeld() && !old.dropping && old.person() == c.person() && (c.name == "" || old.name == c.name) {
			return old
		}
	}
	return nil
}

// takeResumedSeat gives a client the seat that it had in a resumed match, now that its name is
// known. The client has not been told which seat it has. Without such a seat the client joins the
// world, and takeResumedSeat returns false.
func (s *Server) takeResumedSeat(c *session) bool {
	if !c.mayBeBack {
		return false
	}
	c.mayBeBack = false
	old := s.findResumed(c)
	if old == nil {
		s.joinWorld(c)
		return false
	}
	c.back = true
	s.swapSeats(c, old)
	s.restoreAdmin(c)
	s.print(console.Info, "server", fmt.Sprintf("client is back after a restart. cid=%d addr=%s", c.id, c.peer))
	return true
}

// storesMatches reports whether a server that starts after a crash would go on with this match.
func (s *Server) storesMatches() bool {
	return s.settings.Resume != 0 && s.cfg.Resume != nil && s.numClients() > 0 && s.now >= s.resume.soundAt
}

// isStoring reports whether the disk is busy with a match.
func (s *Server) isStoring() bool {
	if err, stored := s.resume.storing.Take(); stored {
		s.reportStored(err)
	}
	return s.resume.storing.Running()
}

// updateResume stores the match when it is time to.
func (s *Server) updateResume(now conn.Time) {
	r := &s.resume
	s.isStoring() // prints what became of the last match
	s.releaseRequests()
	if now < r.nextSave || s.cfg.Resume == nil {
		return
	}
	r.nextSave = now.Add(resumeInterval)
	playing := slices.ContainsFunc(s.sessions[:], func(c *session) bool { return c != nil })
	switch {
	case s.settings.Resume == 0 || !playing:
		if r.stored {
			s.storeMatch(nil)
		}
	case s.numClients() > 0:
		s.storeMatch(s.savedMatch())
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

// closeResume stores the match for the next server when this one ends, and waits for the disk up to
// closeTimeout.
func (s *Server) closeResume() {
	r := &s.resume
	if s.cfg.Resume == nil || s.settings.Resume == 0 || s.world == nil {
		return
	}
	if s.numClients() > 0 || s.hasResumed() {
		r.storing.Wait(closeTimeout) // only the next result counts
		s.storeMatch(s.savedMatch())
	}
	if err, stored := r.storing.Wait(closeTimeout); stored {
		s.reportStored(err)
	}
	r.nextSave = 1 << 62 // never
}

// savedMatch returns the match as it is.
func (s *Server) savedMatch() *savedMatch {
	m := &savedMatch{
		Time: time.Now().UnixMilli(), Configured: s.resume.configured, Settings: s.resumableSettings(),
		MapSHA256: hex.EncodeToString(s.gameMap.SHA256[:]), Key: s.addrHashKey[:],
		world: s.world.AppendState(nil), Requests: slices.Clone(s.storage.unanswered), GameID: s.storage.gameID,
	}
	m.Settings.Map = s.gameMap.svMap // and not the next one
	for id, c := range s.sessions {
		if c != nil && c.state == stateInGame && !c.dropping {
			m.Seats = append(m.Seats, savedSeat{game.PlayerID(id), c.name, c.peer, c.timeoutCode})
		}
	}
	return m
}

// storeMatch stores a match, nil for none, in another goroutine. While the disk is busy with the
// one before, it does nothing.
func (s *Server) storeMatch(m *savedMatch) {
	r := &s.resume
	if s.isStoring() {
		return
	}
	r.stored = m != nil
	store, name := s.cfg.Resume, s.resumeName()
	r.storing.Start(s.cfg.Background, func() error {
		if m == nil {
			return store.Remove(name)
		}
		b, err := m.appendTo(nil)
		if err != nil {
			return err
		}
		return store.Store(name, b)
	})
}

// reportStored prints why matches cannot be stored, once.
func (s *Server) reportStored(err error) {
	if errors.Is(err, fs.ErrNotExist) { // there was nothing to remove
		err = nil
	}
	if s.resume.unstored.NoteError(err) && err != nil {
		s.print(console.Warning, "server", fmt.Sprintf("the match cannot be stored for the next start (sv_resume 0 turns this off): %v", err))
	}
}
