package fill

import (
	"fmt"

	"github.com/teeyard/teeyard/bot/route"
	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/protocol/conn"
	"github.com/teeyard/teeyard/server/console"
)

// Advance adds and removes bots, and queues their inputs for a tick. Without think, the bots repeat
// their last input. began reports whether these are the first bots.
func (b *Bots) Advance(now conn.Time, tick int32, think bool) (began bool) {
	m := b.host.Match()
	b.setWorld(m.World)
	b.takeWay(&m)
	wanted := b.wanted()
	asked, leave := m.World.NPCRequests()
	if b.cfg.Broadcast && b.Settings.Bots > 0 {
		b.explored(&m) // so that the first viewers do not wait for it
	}
	if wanted == 0 && b.seats.IsEmpty() && b.Settings.Dummies == 0 && asked == 0 && m.World.NPCs().IsEmpty() {
		return false
	}
	empty := b.seats.IsEmpty()
	b.RemoveExcess()
	b.adjustDummies(now)
	b.adjustNPCs(&m, now, asked, leave)
	b.wake(&m)
	if n := b.filling().Count(); n < wanted && b.explored(&m) {
		for ; n < wanted && b.add(&m, now); n++ {
		}
	}
	began = empty && !b.seats.IsEmpty()
	b.setSkill()
	if think {
		b.think(&m, tick)
	}
	return began
}

// wanted returns the number of bots of sv_bots that there should be. While a client is in the game
// or the broadcast has viewers, bots fill the game up to sv_bots players. They leave a slot for
// every client.
func (b *Bots) wanted() int {
	rules := b.host.Match().Rules
	if b.Settings.Bots == 0 || rules.TournamentMode != 0 {
		return 0
	}
	s := b.host.Seats()
	if s.InGame.IsEmpty() && !b.host.IsWatched() {
		return 0
	}
	clients := s.Clients.Count()
	// One seat stays free, so that a new client need not wait for a bot to leave. NPCs have seats,
	// but do not count for sv_bots.
	free := min(int(rules.PlayerSlots), int(rules.MaxClients), rules.Seats()-1) - clients - b.npcs.Count()
	return max(0, min(b.Settings.Bots-(clients-s.Spectators.Count()), free))
}

// adjustDummies adds and removes dummies until there are as many as dbg_dummies says. One seat
// stays free for a client.
func (b *Bots) adjustDummies(now conn.Time) {
	n := b.dummies.Count()
	for ; n > b.Settings.Dummies; n-- {
		b.Remove(b.dummies.Lowest(), "")
	}
	for free := b.numFree(); n < b.Settings.Dummies && free > 1; n, free = n+1, free-1 {
		id := b.freeSeat()
		if id < 0 {
			return
		}
		b.dummies.Add(id)
		b.seat(id, now, dummy{direction: 1 - 2*int32(id&1)}, &game.Profile{Name: fmt.Sprintf("dummy %d", id), Country: -1})
	}
}

// adjustNPCs adds and removes the NPCs of a mode or mod. Those with a skill get a brain. NPCs come
// when the game has an audience, and one seat stays free for a client.
func (b *Bots) adjustNPCs(m *Match, now conn.Time, asked int, leave game.PlayerMask) {
	s := b.host.Seats()
	for id := range m.World.NPCs().All() {
		if !b.Has(id) && !s.Clients.Has(id) && !s.Leaving.Has(id) {
			b.sit(id, now) // of a resumed match
			b.npcs.Add(id)
			b.Entered(id)
		}
		switch {
		case !b.npcs.Has(id):
		case leave.Has(id):
			b.Remove(id, "")
		default:
			b.adjustBrain(m, id)
		}
	}
	if !b.hasAudience() {
		return
	}
	for free := b.numFree(); asked > 0 && free > 1; asked, free = asked-1, free-1 {
		id := b.freeSeat()
		if id < 0 {
			return
		}
		b.sit(id, now)
		b.npcs.Add(id)
		b.host.Queue(game.Command{Kind: game.CmdAddNPC, Player: id, Target: game.Nobody})
		b.printReady(id)
	}
}

// adjustBrain gives an NPC a brain of its skill.
func (b *Bots) adjustBrain(m *Match, id game.PlayerID) {
	skill := int(m.World.NPCSkill(id))
	switch old := b.brains[id]; {
	case skill == 0:
		b.brains[id] = nil
	case old != nil:
		if b.npcSkills[id] != skill {
			old.SetSkill(skill)
		}
	case b.explored(m):
		b.brains[id] = b.newBrain(m, skill)
	}
	b.npcSkills[id] = skill
}

// wake gives brains to the bots of a resumed match.
func (b *Bots) wake(m *Match) {
	for id := range b.brains {
		if b.filling().Has(game.PlayerID(id)) && b.brains[id] == nil && b.explored(m) {
			b.brains[id] = b.newBrain(m, b.Settings.Skill)
		}
	}
}

// setSkill changes the skill of all bots but NPCs to sv_bot_skill.
func (b *Bots) setSkill() {
	if b.skill == b.Settings.Skill {
		return
	}
	b.skill = b.Settings.Skill
	for id, brain := range b.brains {
		if brain != nil && !b.npcs.Has(game.PlayerID(id)) {
			brain.SetSkill(b.skill)
		}
	}
}

// think queues the inputs of all bots.
func (b *Bots) think(m *Match, tick int32) {
	plays := b.seats
	if !b.npcs.IsEmpty() && !b.hasAudience() {
		plays = plays.Without(b.npcs)
	}
	readyMode := m.World.Rules().ReadyMode && tick%game.TickRate == 0
	for id, brain := range b.brains {
		pid := game.PlayerID(id)
		if !b.Has(pid) {
			continue
		}
		if brain != nil && plays.Has(pid) {
			view := m.World.View(pid)
			in := brain.NextInput(&view)
			b.host.Queue(game.Command{Kind: game.CmdDirectInput, Player: pid, Target: game.Nobody, Input: in})
			b.host.Queue(game.Command{Kind: game.CmdInput, Player: pid, Target: game.Nobody, Input: in})
			if r, ok := brain.(*route.Runner); ok && r.WantsRestart() {
				b.host.Queue(game.Command{Kind: game.CmdKill, Player: pid, Target: game.Nobody})
			}
		}
		if readyMode {
			if p, ok := m.World.Player(pid); ok && p.InGame && !p.Ready {
				b.host.Queue(game.Command{Kind: game.CmdReady, Player: pid, Target: game.Nobody})
			}
		}
	}
}

// hasAudience reports whether a client is in the game, or the broadcast has viewers.
func (b *Bots) hasAudience() bool { return !b.host.Seats().InGame.IsEmpty() || b.host.IsWatched() }

// add adds a bot. It returns false if all seats are taken.
func (b *Bots) add(m *Match, now conn.Time) bool {
	id := b.freeSeat()
	if id < 0 {
		return false
	}
	mind := b.newBrain(m, b.Settings.Skill)
	if mind == nil {
		return false
	}
	b.seat(id, now, mind, profile(int(seatInOrder(int(id)))))
	return true
}

// seat gives a bot a free seat.
func (b *Bots) seat(id game.PlayerID, now conn.Time, mind brain, p *game.Profile) {
	p.Name = b.host.FreeName(id, p.Name)
	b.brains[id] = mind
	b.sit(id, now)
	b.host.Queue(game.Command{Kind: game.CmdJoin, Player: id, Target: game.Nobody, AddrHash: b.cfg.Seed ^ uint64(id)})
	b.host.Queue(game.Command{Kind: game.CmdPlayerFlags, Player: id, Target: game.Nobody, Value: int32(game.PlayerFlagBot)})
	b.host.Queue(game.Command{Kind: game.CmdProfile, Player: id, Target: game.Nobody, Profile: p})
	b.host.Queue(game.Command{Kind: game.CmdEnterGame, Player: id, Target: game.Nobody})
	b.printReady(id)
}

func (b *Bots) printReady(id game.PlayerID) {
	b.host.Print(console.Info, "server", fmt.Sprintf("player is ready. ClientID=%d addr=%s", id, Addr))
}
