package server

import (
	"fmt"
	"math/bits"

	"github.com/teeyard/teeyard/bot"
	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/protocol/conn"
	"github.com/teeyard/teeyard/server/console"
	"github.com/teeyard/teeyard/server/gamemap"
	"github.com/teeyard/teeyard/server/later"
)

// bots is the players that the server itself provides (sv_bots). They have seats in the
// world but no sessions. They get the highest seats, and clients the lowest.
type bots struct {
	world     *game.World     // that the seats are in
	seats     game.PlayerMask // of bots, until they leave
	seatedAt  [game.MaxPlayers]conn.Time
	dummies   game.PlayerMask // bots of dbg_dummies, which only walk
	npcs      game.PlayerMask // that a mode or mod wants; those without a skill have no brain
	announced game.PlayerMask // clients were told about these
	brains    [game.MaxPlayers]brain
	npcSkills [game.MaxPlayers]int // of their brains
	skill     int
	serial    uint64 // of the last bot; seeds differ by it

	// makingNav makes nav in a goroutine, which takes some 0.1 s.
	nav       *bot.NavGraph
	navMap    *gamemap.Map // of nav, or of the graph that is being made
	makingNav later.Job[*bot.NavGraph]
	ways      waySearch // instead of nav, in worlds of DDRace
}

// brain decides what a bot does.
type brain interface {
	NextInput(*game.View) game.Input
	SetSkill(int)
}

// dummy is the brain of a dummy: it walks in one direction.
type dummy struct{ direction int32 }

// NextInput implements brain. The hand moves now and then, so that the dummy is not inactive.
func (d dummy) NextInput(v *game.View) game.Input {
	return game.Input{Direction: d.direction, TargetX: 100 * d.direction, TargetY: v.Frame.Tick / game.TickRate % 2}
}

// SetSkill does nothing.
func (dummy) SetSkill(int) {}

// maxBotCatchUp is how many of the last ticks that run at once bots think in. Before, after
// a stall, they go on with what they did: they cost far more than a tick. Without clients, several ticks
// at once are no stall.
const maxBotCatchUp = 5

// botNames are the names of bots, from the highest seat down.
var botNames = [...]string{
	"Ada", "Bolt", "Clover", "Dot", "Ember", "Fidget", "Gizmo", "Hazel",
	"Iggy", "Juno", "Kiwi", "Lumen", "Mango", "Nimbus", "Olive", "Pixel",
	"Quill", "Rusty", "Sprout", "Tango", "Umber", "Vega", "Waffle", "Xeno",
	"Yoyo", "Ziggy",
}

// botBodies are skin parts that all clients have.
var botBodies = [...]string{"fox", "bear", "koala", "mouse", "beaver", "raccoon", "hippo", "spiky", "kitty", "piglet"}

// has reports whether a seat is a bot's.
func (b *bots) has(id game.PlayerID) bool { return b.seats.Has(id) }

// sit notes that a seat is a bot's.
func (b *bots) sit(id game.PlayerID, now conn.Time) {
	b.seats |= game.MaskOne(id)
	b.seatedAt[id] = now
}

// setWorld forgets the bots of another world.
func (b *bots) setWorld(w *game.World) {
	if b.world != w {
		*b = bots{world: w, serial: b.serial, nav: b.nav, navMap: b.navMap, makingNav: b.makingNav, ways: b.ways}
	}
}

// count returns the number of bots.
func (b *bots) count() int { return bits.OnesCount64(uint64(b.seats)) }

// numDummies returns the number of those that only walk.
func (b *bots) numDummies() int { return bits.OnesCount64(uint64(b.dummies)) }

// filling returns the bots of sv_bots, which fill up the game.
func (b *bots) filling() game.PlayerMask { return b.seats &^ b.dummies &^ b.npcs }

// numFilling returns their number.
func (b *bots) numFilling() int { return bits.OnesCount64(uint64(b.filling())) }

// wantedBots returns the number of bots that there should be: while somebody is in the
// game or watches the broadcast, they fill it up to sv_bots players, but leave a slot for every
// client.
func (s *Server) wantedBots() int {
	if s.settings.Bots == 0 || s.rules.TournamentMode != 0 {
		return 0
	}
	humans, spectators, inGame := 0, 0, false
	for id, c := range s.sessions {
		if c == nil {
			continue
		}
		humans++
		if c.state == stateInGame {
			inGame = true
			if s.teamOf(game.PlayerID(id)) == game.TeamSpectators {
				spectators++
			}
		}
	}
	if !inGame && !s.isBroadcastWatched() {
		return 0
	}
	// One seat stays free, so that a new client need not wait for a bot to leave. NPCs have
	// seats, but play beside those who fill up the game.
	free := min(int(s.rules.PlayerSlots), int(s.rules.MaxClients), game.MaxPlayers-1) - humans - bits.OnesCount64(uint64(s.bots.npcs))
	return max(0, min(s.settings.Bots-(humans-spectators), free))
}

// runBots adds and removes bots and queues their inputs for the next tick.
func (s *Server) runBots() {
	b := &s.bots
	b.setWorld(s.world)
	s.takeWay()
	wanted := s.wantedBots()
	asked, leave := s.world.NPCRequests()
	if s.cfg.Broadcast != nil && s.settings.Bots > 0 {
		s.hasNavGraph() // those who begin to watch do not wait for it
	}
	if wanted == 0 && b.seats == 0 && s.settings.DbgDummies == 0 && asked == 0 && s.world.NPCs() == 0 {
		return
	}
	empty := b.seats == 0
	s.removeExcessBots()
	s.adjustDummies()
	s.adjustNPCs(asked, leave)
	s.wakeBots()
	if n := b.numFilling(); n < wanted && s.hasNavGraph() {
		for ; n < wanted && s.addBot(); n++ {
		}
	}
	if empty && b.seats != 0 {
		s.beginPrelude()
	}
	if b.skill != s.settings.BotSkill {
		b.skill = s.settings.BotSkill
		for id, brain := range b.brains {
			if brain != nil && !b.npcs.Has(game.PlayerID(id)) {
				brain.SetSkill(b.skill)
			}
		}
	}
	if !s.botsThink {
		return
	}
	watched := b.npcs == 0 || s.hasAudience() // NPCs do not play for nobody
	readyMode := s.world.Rules().ReadyMode && s.clock.tick%game.TickRate == 0
	for id, brain := range b.brains {
		pid := game.PlayerID(id)
		if !b.has(pid) {
			continue
		}
		if brain != nil && (watched || !b.npcs.Has(pid)) {
			view := s.world.View(pid)
			in := brain.NextInput(&view)
			s.queueCommand(game.Command{Kind: game.CmdDirectInput, Player: pid, Target: game.Nobody, Input: in})
			s.queueCommand(game.Command{Kind: game.CmdInput, Player: pid, Target: game.Nobody, Input: in})
			s.restartBot(pid, brain)
		}
		if readyMode {
			if p, ok := s.world.Player(pid); ok && p.InGame && !p.Ready {
				s.queueCommand(game.Command{Kind: game.CmdReady, Player: pid, Target: game.Nobody})
			}
		}
	}
}

// removeExcessBots removes the bots that are too many. It is called before a client joins,
// so that a slot is free.
func (s *Server) removeExcessBots() {
	b := &s.bots
	for n := b.numFilling() - s.wantedBots(); n > 0; n-- {
		s.removeBot(lowest(b.filling()), "")
	}
}

// anyInGame reports whether a client is in the game.
func (s *Server) anyInGame() bool {
	for _, c := range s.sessions {
		if c != nil && c.state == stateInGame {
			return true
		}
	}
	return false
}

// hasAudience reports whether somebody is in the game or watches the broadcast.
func (s *Server) hasAudience() bool { return s.anyInGame() || s.isBroadcastWatched() }

// adjustNPCs adds and removes the players that a mode or mod wants, and gives those a brain who
// have a skill. They come when somebody is in the game, and one seat stays free for a client.
func (s *Server) adjustNPCs(asked int, leave game.PlayerMask) {
	b := &s.bots
	for present := s.world.NPCs(); present != 0; present &= present - 1 {
		id := lowest(present)
		if !b.has(id) && s.sessions[id] == nil && !s.seats.leaving.Has(id) {
			b.sit(id, s.now) // of a world that was restored
			b.npcs |= game.MaskOne(id)
			b.announced |= game.MaskOne(id)
		}
		if !b.npcs.Has(id) {
			continue
		}
		if leave.Has(id) {
			s.removeBot(id, "")
			continue
		}
		skill := int(s.world.NPCSkill(id))
		switch old := b.brains[id]; {
		case skill == 0:
			b.brains[id] = nil
		case old != nil:
			if b.npcSkills[id] != skill {
				old.SetSkill(skill)
			}
		case s.hasNavGraph():
			b.brains[id] = s.newMind(skill)
		}
		b.npcSkills[id] = skill
	}
	if !s.hasAudience() {
		return
	}
	for free := s.numFreeSeats(); asked > 0 && free > 1; asked, free = asked-1, free-1 {
		id := s.freeBotSeat()
		if id < 0 {
			return
		}
		b.sit(id, s.now)
		b.npcs |= game.MaskOne(id)
		s.queueCommand(game.Command{Kind: game.CmdAddNPC, Player: id, Target: game.Nobody})
		s.print(console.Info, "server", fmt.Sprintf("player is ready. ClientID=%d addr=%s", id, botAddr))
	}
}

// numFreeSeats returns how many seats nobody has.
func (s *Server) numFreeSeats() int {
	free := game.MaxPlayers - s.bots.count() - bits.OnesCount64(uint64(s.seats.leaving))
	for _, c := range s.sessions {
		if c != nil {
			free--
		}
	}
	return free
}

// adjustDummies adds and removes dummies until there are as many as dbg_dummies says. One seat
// stays free for a client.
func (s *Server) adjustDummies() {
	b := &s.bots
	n := b.numDummies()
	for ; n > s.settings.DbgDummies; n-- {
		s.removeBot(lowest(b.dummies), "")
	}
	for free := s.numFreeSeats(); n < s.settings.DbgDummies && free > 1; n, free = n+1, free-1 {
		id := s.freeBotSeat()
		if id < 0 {
			return
		}
		b.dummies |= game.MaskOne(id)
		s.seatBot(id, dummy{direction: 1 - 2*int32(id&1)}, &game.Profile{Name: fmt.Sprintf("dummy %d", id), Country: -1})
	}
}

// hasNavGraph reports whether there is a navigation graph of the map, or a way through it. If not, it
// has one made.
func (s *Server) hasNavGraph() bool {
	b := &s.bots
	if s.world.IsDDRace() {
		return s.hasWay()
	}
	if nav, made := b.makingNav.Take(); made {
		b.nav = nav
	} else if b.makingNav.Running() {
		return false
	}
	if b.navMap == s.maps.Played() {
		return b.nav != nil
	}
	b.nav, b.navMap = nil, s.maps.Played()
	done := b.makingNav.Begin()
	terrain, tuning := s.maps.Played().Terrain, s.world.Tuning()
	watched, wake := s.isBroadcastWatched(), s.transport.Wake // the loop sleeps if there are no clients
	go func() {
		nav, err := bot.NewNavGraph(terrain, &tuning)
		if err != nil {
			nav = nil // impossible: the world has the same terrain
		}
		done(nav)
		if watched {
			wake()
		}
	}()
	return false
}

// botAddr is what the log has for the address of a bot: programs that keep a list of players
// by it end when somebody acts who never joined.
const botAddr = "bot:0"

// freeBotSeat returns the highest free seat, or Nobody.
func (s *Server) freeBotSeat() game.PlayerID {
	for id := game.PlayerID(game.MaxPlayers - 1); id >= 0; id-- {
		if !s.bots.has(id) && s.sessions[id] == nil && !s.seats.leaving.Has(id) {
			return id
		}
	}
	return game.Nobody
}

// wakeBots gives brains to the bots of a resumed match, which stand still until then.
func (s *Server) wakeBots() {
	b := &s.bots
	for id := range b.brains {
		if pid := game.PlayerID(id); b.filling().Has(pid) && b.brains[id] == nil && s.hasNavGraph() {
			b.brains[id] = s.newMind(s.settings.BotSkill)
		}
	}
}

// addBot adds a bot. It returns false if there is no seat.
func (s *Server) addBot() bool {
	id := s.freeBotSeat()
	if id < 0 {
		return false
	}
	mind := s.newMind(s.settings.BotSkill)
	if mind == nil {
		return false
	}
	s.seatBot(id, mind, botProfile(game.MaxPlayers-1-int(id)))
	return true
}

// newMind returns the brain of a bot that plays, nil if that cannot be. There is a navigation
// graph.
func (s *Server) newMind(skill int) brain {
	s.bots.serial++
	if s.world.IsDDRace() {
		return s.newRunner()
	}
	mind, err := bot.New(bot.Config{Nav: s.bots.nav, Skill: skill, Seed: s.cfg.Seed + s.bots.serial})
	if err != nil {
		return nil
	}
	return mind
}

// seatBot gives a bot a free seat.
func (s *Server) seatBot(id game.PlayerID, mind brain, profile *game.Profile) {
	profile.Name = s.freeName(id, profile.Name)
	s.bots.brains[id] = mind
	s.bots.sit(id, s.now)
	s.queueCommand(game.Command{Kind: game.CmdJoin, Player: id, Target: game.Nobody, AddrHash: s.cfg.Seed ^ uint64(id)})
	s.queueCommand(game.Command{Kind: game.CmdPlayerFlags, Player: id, Target: game.Nobody, Value: int32(game.PlayerFlagBot)})
	s.queueCommand(game.Command{Kind: game.CmdProfile, Player: id, Target: game.Nobody, Profile: profile})
	s.queueCommand(game.Command{Kind: game.CmdEnterGame, Player: id, Target: game.Nobody})
	s.print(console.Info, "server", fmt.Sprintf("player is ready. ClientID=%d addr=%s", id, botAddr))
}

// botProfile returns the profile of the n-th bot.
func botProfile(n int) *game.Profile {
	p := &game.Profile{Name: botNames[n%len(botNames)], Clan: "bot", Country: -1}
	if n >= len(botNames) {
		p.Name = fmt.Sprintf("%s %d", p.Name, 1+n/len(botNames))
	}
	p.Skin.PartNames = [game.NumSkinParts]string{botBodies[n%len(botBodies)], "", "", "standard", "standard", "standard"}
	// Hues that are far apart; hands and feet are a little darker.
	hue := int32(n*67+16) & 255
	for part, light := range [game.NumSkinParts]int32{0: 110, 3: 90, 4: 80} {
		if light != 0 {
			p.Skin.UseCustomColors[part] = true
			p.Skin.PartColors[part] = hue<<16 | 170<<8 | light
		}
	}
	return p
}

// lastBot returns the bot that is the first to leave: that which joined last, and an NPC only if
// there is no other.
func (s *Server) lastBot() game.PlayerID {
	if others := s.bots.seats &^ s.bots.npcs; others != 0 {
		return lowest(others)
	}
	return lowest(s.bots.seats)
}

// lowest returns the lowest seat of a set, or Nobody.
func lowest(seats game.PlayerMask) game.PlayerID {
	if seats == 0 {
		return game.Nobody
	}
	return game.PlayerID(bits.TrailingZeros64(uint64(seats)))
}

// removeBot makes a bot leave with the next tick.
func (s *Server) removeBot(id game.PlayerID, reason string) {
	if !s.bots.has(id) {
		return
	}
	s.bots.seats &^= game.MaskOne(id)
	s.bots.dummies &^= game.MaskOne(id)
	s.bots.npcs &^= game.MaskOne(id)
	s.bots.brains[id] = nil
	s.seats.farewells[id] = farewell{addr: botAddr, reason: reason}
	s.leaveSeat(id, reason)
}
