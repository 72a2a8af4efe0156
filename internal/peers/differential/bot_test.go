package differential

import (
	"math/rand/v2"

	"github.com/teeyard/teeyard/protocol/message/msg7"
)

// style says what bots do besides playing.
type style struct {
	// spectate lets them join the spectators and come back.
	spectate bool
	// peaceful keeps them from killing themselves.
	peaceful bool
	// teams lets them change sides.
	teams bool
	// admin lets the first one command the server.
	admin bool
	// ready lets them use the ready mode.
	ready bool
	// coming lets all but the first and the last leave and come back.
	coming bool
}

// commands are what an admin may try.
var commands = []string{
	"pause", "pause", "pause 1", "restart", "restart 2", "restart -1", "sv_scorelimit 2", "sv_scorelimit 20", "sv_timelimit 1", "sv_timelimit 0",
	"set_team 1 -1", "set_team 1 0", "set_team_all 0", "lock_teams", "lock_teams", "say hello", "broadcast hello",
	"sv_countdown 2", "sv_countdown 0", "sv_strict_spectate_mode 1", "sv_strict_spectate_mode 0",
	"sv_spamprotection 0", "sv_spamprotection 1", "sv_tournament_mode 1", "sv_tournament_mode 2", "sv_tournament_mode 0",
	"sv_player_ready_mode 1", "sv_player_ready_mode 0", "swap_teams", "shuffle_teams", "force_teambalance",
}

// plan is what a bot is about to do for a while.
type plan int

const (
	wander plan = iota
	seek        // a pickup
	chase       // another player
	shoot       // in all directions
	blast       // itself up
	idle        // with whatever is held
	silent      // sends nothing
	odd         // inputs that people do not send
	talk        // chatting: inputs do not count
	look        // spectates
	numPlans
)

// bot plays at random, but as if it wanted something: it depends on its seed
// and on what it sees.
type bot struct {
	setup
	id    int
	rand  *rand.Rand
	in    msg7.PlayerInput
	plan  plan
	until int32
	begun int32
	watch bool // among the spectators
}

func newBot(s setup, id int) *bot {
	return &bot{setup: s, id: id, rand: rand.New(rand.NewPCG(s.seed, uint64(id)))}
}

// chance is true once in n times.
func (b *bot) chance(n int) bool { return b.rand.IntN(n) == 0 }

func (b *bot) between(lo, hi int) int32 { return int32(lo + b.rand.IntN(hi-lo+1)) }

// step decides what to send after a snapshot; nil for nothing.
func (b *bot) step(s *sight) *step {
	if b.begun == 0 {
		b.begun = s.tick
	}
	st := &step{intended: s.tick + lead}
	say := func(m msg7.Message) { st.messages = append(st.messages, m.Append(nil)) }
	if s.tick >= b.until {
		b.choose(s)
		if b.plan == look != b.watch {
			b.watch = !b.watch
			team := msg7.TeamRed
			if b.watch {
				team = msg7.TeamSpectators
			}
			say(&msg7.ClSetTeam{Team: team})
		}
	}
	me := s.find(msg7.TypeCharacter, b.id)
	in := &b.in
	in.PlayerFlags = 0
	switch b.plan {
	case wander:
		b.walk()
		b.weapons()
		if b.chance(6) {
			b.press(!b.chance(3))
		}
	case seek:
		b.toPickup(s, me)
		if b.chance(20) {
			b.press(true)
		}
	case chase:
		b.toPlayer(s, me)
		b.weapons()
	case shoot:
		if b.chance(3) {
			in.TargetX, in.TargetY = b.between(-300, 300), b.between(-300, 300)
		}
		b.weapons()
		b.press(!b.chance(10))
		if b.chance(10) {
			in.Direction = b.between(-1, 1)
		}
	case blast:
		in.WantedWeapon = 4
		if b.chance(8) {
			in.TargetX, in.TargetY = b.between(-40, 40), b.between(20, 60)
			in.Jump = !in.Jump
		}
		b.press(!b.chance(4))
	case silent:
		return nil
	case odd:
		b.strange()
	case talk:
		in.PlayerFlags = msg7.PlayerFlagChatting
		b.walk()
		b.press(b.chance(2))
	case look:
		b.lookAround(s, say)
	}
	if b.chance(300) {
		say(&msg7.ClEmoticon{Emoticon: msg7.Emoticon(b.rand.IntN(16))})
	}
	if !b.peaceful && b.plan != look && b.chance(900) {
		say(&msg7.ClKill{})
	}
	if b.teams && b.chance(400) {
		say(&msg7.ClSetTeam{Team: msg7.Team(b.rand.IntN(2))})
	}
	if b.chance(1000) {
		m := &msg7.ClSay{Mode: msg7.ChatMode(b.between(0, 3)), Target: -1, Message: []byte("hello")}
		if m.Mode == msg7.ChatWhisper {
			// Not to oneself or nobody: see docs/differential.md.
			if b.id == 0 {
				m.Target = int32(b.players - 1)
			} else {
				m.Target = 0
			}
		}
		if b.players > 1 {
			say(m)
		}
	}
	// Not in the first five seconds after joining, and when that was differs.
	if s.tick > b.begun+250 && b.chance(1000) {
		m := msg7.ClSkinChange{}
		for i := range m.Skin.Parts {
			m.Skin.Parts[i] = []byte("standard")
			m.Skin.UseCustomColors[i] = b.chance(2)
			m.Skin.Colors[i] = b.between(0, 1<<24)
		}
		say(&m)
	}
	if b.ready && b.chance(200) || b.chance(2000) {
		say(&msg7.ClReadyChange{})
	}
	if b.admin && b.id == 0 && b.chance(120) {
		say(&msg7.RconCmd{Command: []byte(commands[b.rand.IntN(len(commands))])})
	}
	if len(st.messages) == 0 && b.chance(5) {
		return nil
	}
	if in.TargetX == 0 && in.TargetY == 0 && b.plan != odd {
		in.TargetY = -1
	}
	in.Fire &= 63
	in.NextWeapon &= 63
	in.PrevWeapon &= 63
	st.input = *in
	return st
}

func (b *bot) choose(s *sight) {
	b.until = s.tick + b.between(20, 150)
	switch n := b.rand.IntN(100); {
	case s.tick < b.begun+100 && n < 70, n < 25:
		b.plan = seek
	case n < 40:
		b.plan = wander
	case n < 65 && b.players > 1:
		b.plan = chase
	case n < 75:
		b.plan = shoot
	case n < 84:
		b.plan = blast
	case n < 87:
		b.plan = idle
	case n < 88:
		b.plan = silent
	case n < 92:
		b.plan = odd
	case n < 94:
		b.plan = talk
	case n < 97 && b.spectate:
		b.plan = look
		b.until += 160 // one may come back only after three seconds
	default:
		b.plan = wander
	}
	if b.plan == idle {
		b.until += b.between(0, 300)
	}
}

// press holds the fire button or lets it go.
func (b *bot) press(down bool) {
	if down != (b.in.Fire&1 != 0) {
		b.in.Fire++
	}
}

func (b *bot) walk() {
	in := &b.in
	if b.chance(12) {
		in.Direction = b.between(-1, 1)
	}
	if b.chance(8) {
		in.Jump = !in.Jump
	}
	if b.chance(14) {
		in.Hook = !in.Hook
	}
	if b.chance(5) {
		in.TargetX, in.TargetY = b.between(-400, 400), b.between(-400, 200)
	}
}

func (b *bot) weapons() {
	in := &b.in
	switch b.rand.IntN(60) {
	case 0:
		in.WantedWeapon = b.between(1, 5)
	case 1:
		in.WantedWeapon = 0
	case 2:
		in.WantedWeapon = 0
		in.NextWeapon += b.between(1, 4)
	case 3:
		in.WantedWeapon = 0
		in.PrevWeapon += b.between(1, 4)
	}
}

// toPickup goes for the nearest weapon, or whatever else lies there.
func (b *bot) toPickup(s *sight, me []int32) {
	if me == nil {
		b.press(b.chance(2))
		return
	}
	best, target := int64(1)<<60, []int32(nil)
	for i := range s.items {
		it := &s.items[i]
		if it.key.Type() != msg7.TypePickup {
			continue
		}
		dx, dy := int64(it.ints[0]-me[1]), int64(it.ints[1]-me[2])
		d := dx*dx + 4*dy*dy
		switch kind := msg7.PickupType(it.ints[2]); {
		case kind == msg7.PickupNinja:
			d /= 16
		case kind <= msg7.PickupArmor && b.until%3 != 0:
			d *= 6
		}
		if d < best {
			best, target = d, it.ints
		}
	}
	if target == nil {
		b.walk()
		return
	}
	b.approach(target[0]-me[1], target[1]-me[2])
}

// approach walks, jumps and hooks towards a place.
func (b *bot) approach(dx, dy int32) {
	in := &b.in
	in.Direction = 0
	if dx > 8 {
		in.Direction = 1
	} else if dx < -8 {
		in.Direction = -1
	}
	if dy < -20 && b.chance(4) || b.chance(20) {
		in.Jump = !in.Jump
	}
	if dy < -60 {
		if b.chance(10) {
			in.Hook = !in.Hook
			in.TargetX, in.TargetY = dx+b.between(-60, 60), dy-100
		}
	} else if b.chance(10) {
		in.Hook = false
	}
	if b.chance(25) {
		in.Direction = b.between(-1, 1)
	}
}

// toPlayer hunts the nearest other player.
func (b *bot) toPlayer(s *sight, me []int32) {
	in := &b.in
	if me == nil {
		b.press(b.chance(2))
		return
	}
	best, target := int64(1)<<60, []int32(nil)
	for i := range s.items {
		it := &s.items[i]
		if it.key.Type() != msg7.TypeCharacter || it.key.ID() == b.id {
			continue
		}
		dx, dy := int64(it.ints[1]-me[1]), int64(it.ints[2]-me[2])
		if d := dx*dx + dy*dy; d < best {
			best, target = d, it.ints
		}
	}
	if target == nil {
		b.walk()
		return
	}
	dx, dy := target[1]-me[1], target[2]-me[2]
	hook := in.Hook
	b.approach(dx, dy)
	in.Hook = hook
	in.TargetX, in.TargetY = dx+b.between(-8, 8), dy+b.between(-8, 8)
	switch {
	case best < 60*60:
		if in.WantedWeapon == 0 && b.chance(3) {
			in.WantedWeapon = 1
		}
		b.press(b.chance(2))
		if b.chance(4) {
			in.Hook = !in.Hook
		}
	case best < 380*380:
		if b.chance(12) {
			in.Hook = !in.Hook
		}
		b.press(b.chance(3))
	default:
		if b.chance(10) {
			in.Hook = !in.Hook
		}
		if b.chance(10) {
			b.press(in.Fire&1 == 0)
		}
	}
}

// strange sends what only other programs would.
func (b *bot) strange() {
	in := &b.in
	switch b.rand.IntN(8) {
	case 0:
		in.TargetX, in.TargetY = 0, 0
	case 1:
		in.TargetX, in.TargetY = b.between(-1<<20, 1<<20), b.between(-1<<20, 1<<20)
	case 2:
		in.Fire += b.between(0, 63)
	case 3:
		in.NextWeapon += b.between(0, 63)
	case 4:
		in.PrevWeapon += b.between(0, 63)
	case 5:
		in.WantedWeapon = b.between(0, 5)
	case 6:
		in.Direction, in.Jump, in.Hook = b.between(-1, 1), b.chance(2), b.chance(2)
	case 7:
		in.TargetX, in.TargetY = b.between(-2, 2), b.between(-2, 2)
	}
}

// lookAround spectates: moves the view, follows players and lets go of them.
func (b *bot) lookAround(s *sight, say func(msg7.Message)) {
	in := &b.in
	if info := s.find(msg7.TypeSpectatorInfo, b.id); info != nil && b.chance(3) {
		in.TargetX, in.TargetY = info[2]+b.between(-700, 700), info[3]+b.between(-600, 600)
	}
	in.Direction, in.Jump, in.Hook = 0, false, false
	if b.chance(15) {
		in.Fire++
	}
	if b.chance(40) {
		m := &msg7.ClSetSpectatorMode{Mode: msg7.SpecFreeView, SpectatorID: -1}
		if !b.chance(3) {
			m.Mode, m.SpectatorID = msg7.SpecPlayer, b.between(0, b.players)
		}
		if b.chance(6) {
			m.Mode, m.SpectatorID = msg7.SpecFlagRed, -1
		}
		say(m)
	}
}
