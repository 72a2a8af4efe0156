package differential

import (
	"math/rand/v2"

	"github.com/teeyard/teeyard/protocol/message/msg7"
)

// behavior says what bots do besides playing.
type behavior struct {
	spectate bool // join the spectators and come back
	peaceful bool // never kill themselves
	admin    bool // the first bot runs console commands
	ready    bool // use the ready mode
	rejoin   bool // all but the first and the last leave and join again
	commands []timedCommand
	// until, if not 0, is a tick after the start. From then on all bots kill themselves and do
	// nothing more. In ctf they wait for a flag to lie far from the stands.
	until int32
}

// timedCommand is a console command that the first bot runs a number of ticks after the start.
type timedCommand struct {
	tick    int32
	command string
}

// adminCommands are the console commands that the admin bot runs.
var adminCommands = []string{
	"pause", "pause", "pause; pause", "pause 1", "restart", "restart 2", "restart -1", "sv_scorelimit 2", "sv_scorelimit 20", "sv_timelimit 1",
	"sv_timelimit 0",
	"set_team 1 -1", "set_team 1 0", "set_team_all 0", "lock_teams", "lock_teams", "say hello", "broadcast hello",
	"sv_countdown 2", "sv_countdown 0", "sv_strict_spectate_mode 1", "sv_strict_spectate_mode 0",
	"sv_spamprotection 0", "sv_spamprotection 1", "sv_tournament_mode 1", "sv_tournament_mode 2", "sv_tournament_mode 0",
	"sv_player_ready_mode 1", "sv_player_ready_mode 0", "swap_teams", "shuffle_teams", "force_teambalance",
	"set_team 2 1", "set_team 0 1", "set_team_all 1", "sv_teamdamage 1", "sv_teamdamage 0", "sv_match_swap 1", "sv_match_swap 0",
	"sv_teambalance_time 0", "sv_teambalance_time 1", "sv_respawn_delay_tdm 1",
}

// plan is what a bot does for some time.
type plan int

const (
	planWander    plan = iota
	planPickup         // goes to a pickup
	planChase          // follows another player
	planShoot          // shoots in all directions
	planHurtSelf       // shoots itself with the grenade launcher
	planIdle           // keeps its last input
	planSilent         // sends nothing
	planOddInputs      // sends inputs that real clients do not send
	planChat           // sets the chat flag, so that its inputs do not count
	planSpectate
	planFlag // goes to a flag, or with a flag to the opposite one
)

// bot follows random plans. Its inputs depend only on its seed and on its observations.
type bot struct {
	behavior
	players    int
	id         int
	rand       *rand.Rand
	input      msg7.PlayerInput
	plan       plan
	planEnd    int32 // the tick in which the plan ends
	flag       int   // the flag to go to
	firstTick  int32
	spectating bool
	resting    bool
}

func newBot(cfg matchConfig, id int) *bot {
	return &bot{behavior: cfg.behavior, players: cfg.Players, id: id, rand: rand.New(rand.NewPCG(cfg.Seed, uint64(id)))}
}

// oneIn returns true in one of n calls on average.
func (b *bot) oneIn(n int) bool { return b.rand.IntN(n) == 0 }

func (b *bot) between(lo, hi int) int32 { return int32(lo + b.rand.IntN(hi-lo+1)) }

// nextStep returns the step to send after a round, or nil.
func (b *bot) nextStep(s *observation) *step {
	if b.firstTick == 0 {
		b.firstTick = s.tick
	}
	st := &step{Intended: s.tick + inputLead}
	send := func(m msg7.Message) { st.Messages = append(st.Messages, m.Append(nil)) }
	if b.until != 0 && s.tick >= b.firstTick+b.until {
		rested := b.resting
		if b.resting = s.find(msg7.TypeGameDataFlag, 0) == nil || flagLies(s); b.resting && !rested {
			send(&msg7.ClKill{})
		}
	}
	if b.resting {
		st.Input = msg7.PlayerInput{TargetX: 1}
		return st
	}
	if b.id == 0 && len(b.commands) > 0 && s.tick >= b.firstTick+b.commands[0].tick {
		send(&msg7.RconCmd{Command: []byte(b.commands[0].command)})
		b.commands = b.commands[1:]
	}
	if s.tick >= b.planEnd {
		b.choosePlan(s)
		if b.plan == planSpectate != b.spectating {
			b.spectating = !b.spectating
			team := msg7.Team(b.between(0, 1))
			if b.spectating {
				team = msg7.TeamSpectators
			}
			send(&msg7.ClSetTeam{Team: team})
		}
	}
	me := s.find(msg7.TypeCharacter, b.id)
	in := &b.input
	in.PlayerFlags = 0
	switch b.plan {
	case planWander:
		b.walk()
		b.changeWeapon()
		if b.oneIn(6) {
			b.pressFire(!b.oneIn(3))
		}
	case planPickup:
		b.seekPickup(s, me)
		if b.oneIn(20) {
			b.pressFire(true)
		}
	case planFlag:
		b.seekFlag(s, me)
		b.pressFire(b.oneIn(4))
	case planChase:
		b.chasePlayer(s, me)
		b.changeWeapon()
	case planShoot:
		if b.oneIn(3) {
			in.TargetX, in.TargetY = b.between(-300, 300), b.between(-300, 300)
		}
		b.changeWeapon()
		b.pressFire(!b.oneIn(10))
		if b.oneIn(10) {
			in.Direction = b.between(-1, 1)
		}
	case planHurtSelf:
		in.WantedWeapon = 4
		if b.oneIn(8) {
			in.TargetX, in.TargetY = b.between(-40, 40), b.between(20, 60)
			in.Jump = !in.Jump
		}
		b.pressFire(!b.oneIn(4))
	case planSilent:
		if len(st.Messages) == 0 {
			return nil
		}
	case planOddInputs:
		b.oddInput()
	case planChat:
		in.PlayerFlags = msg7.PlayerFlagChatting
		b.walk()
		b.pressFire(b.oneIn(2))
	case planSpectate:
		b.moveView(s, send)
	}
	if me == nil && b.plan != planSpectate && s.find(msg7.TypeSpectatorInfo, b.id) != nil && b.oneIn(60) { // the bot is out of the round
		send(&msg7.ClSetSpectatorMode{Mode: msg7.SpecPlayer, SpectatorID: b.between(0, b.players-1)})
	}
	if b.oneIn(300) {
		send(&msg7.ClEmoticon{Emoticon: msg7.Emoticon(b.rand.IntN(16))})
	}
	if !b.peaceful && b.plan != planSpectate && b.oneIn(900) {
		send(&msg7.ClKill{})
	}
	if b.oneIn(1000) {
		m := &msg7.ClSay{Mode: msg7.ChatMode(b.between(0, 3)), Target: -1, Message: []byte("hello")}
		if m.Mode == msg7.ChatWhisper {
			// The bot must not whisper to itself or to client -1: see docs/contribute/proof.md.
			if b.id == 0 {
				m.Target = int32(b.players - 1)
			} else {
				m.Target = 0
			}
		}
		if b.players > 1 {
			send(m)
		}
	}
	// Servers ignore this message in the first five seconds after joining, and the two servers
	// start that time differently.
	if s.tick > b.firstTick+250 && b.oneIn(1000) {
		m := msg7.ClSkinChange{}
		for i := range m.Skin.Parts {
			m.Skin.Parts[i] = []byte("standard")
			m.Skin.UseCustomColors[i] = b.oneIn(2)
			m.Skin.Colors[i] = b.between(0, 1<<24)
		}
		send(&m)
	}
	if b.ready && b.oneIn(200) || b.oneIn(2000) {
		send(&msg7.ClReadyChange{})
	}
	if b.admin && b.id == 0 && b.oneIn(120) {
		send(&msg7.RconCmd{Command: []byte(adminCommands[b.rand.IntN(len(adminCommands))])})
	}
	if len(st.Messages) == 0 && b.oneIn(5) {
		return nil
	}
	if in.TargetX == 0 && in.TargetY == 0 && b.plan != planOddInputs {
		in.TargetY = -1
	}
	in.Fire &= 63
	in.NextWeapon &= 63
	in.PrevWeapon &= 63
	st.Input = *in
	return st
}

// flagLies reports whether a dropped flag lies away from all spawn points.
func flagLies(s *observation) bool {
	for team := range 2 {
		flag := s.find(msg7.TypeFlag, team)
		if s.find(msg7.TypeGameDataFlag, 0)[team] == int32(msg7.FlagTaken) && flag != nil && flag[0] > 8*32 && flag[0] < 21*32 {
			return true
		}
	}
	return false
}

// choosePlan starts a new plan.
func (b *bot) choosePlan(s *observation) {
	b.planEnd = s.tick + b.between(20, 150)
	b.flag = b.rand.IntN(2)
	switch n := b.rand.IntN(100); {
	case n < 60 && s.find(msg7.TypeGameDataFlag, 0) != nil:
		b.plan = planFlag
	case s.tick < b.firstTick+100 && n < 70, n < 25:
		b.plan = planPickup
	case n < 40:
		b.plan = planWander
	case n < 65 && b.players > 1:
		b.plan = planChase
	case n < 75:
		b.plan = planShoot
	case n < 84:
		b.plan = planHurtSelf
	case n < 87:
		b.plan = planIdle
	case n < 88:
		b.plan = planSilent
	case n < 92:
		b.plan = planOddInputs
	case n < 94:
		b.plan = planChat
	case n < 97 && b.spectate:
		b.plan = planSpectate
		b.planEnd += 160 // the server lets spectators come back only after three seconds
	default:
		b.plan = planWander
	}
	if b.plan == planIdle {
		b.planEnd += b.between(0, 300)
	}
}

// pressFire holds or releases the fire button.
func (b *bot) pressFire(down bool) {
	if down != (b.input.Fire&1 != 0) {
		b.input.Fire++
	}
}

// walk moves at random.
func (b *bot) walk() {
	in := &b.input
	if b.oneIn(12) {
		in.Direction = b.between(-1, 1)
	}
	if b.oneIn(8) {
		in.Jump = !in.Jump
	}
	if b.oneIn(14) {
		in.Hook = !in.Hook
	}
	if b.oneIn(5) {
		in.TargetX, in.TargetY = b.between(-400, 400), b.between(-400, 200)
	}
}

// changeWeapon sometimes changes the weapon.
func (b *bot) changeWeapon() {
	in := &b.input
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

// nearest returns the item of a type with the least distance, and that distance. It returns nil if
// there is none. A negative distance excludes an item.
func nearest(s *observation, typ int, distance func(it *item) int64) (best []int32, least int64) {
	least = 1 << 60
	for i := range s.items {
		it := &s.items[i]
		if it.key.Type() != typ {
			continue
		}
		if d := distance(it); d >= 0 && d < least {
			best, least = it.ints, d
		}
	}
	return best, least
}

// seekPickup goes to the nearest weapon, or to another pickup that is much nearer.
func (b *bot) seekPickup(s *observation, me []int32) {
	if me == nil {
		b.pressFire(b.oneIn(2))
		return
	}
	target, _ := nearest(s, msg7.TypePickup, func(it *item) int64 {
		dx, dy := int64(it.ints[0]-me[1]), int64(it.ints[1]-me[2])
		d := dx*dx + 4*dy*dy
		switch kind := msg7.PickupType(it.ints[2]); {
		case kind == msg7.PickupNinja:
			d /= 16
		case kind <= msg7.PickupArmor && b.planEnd%3 != 0:
			d *= 6
		}
		return d
	})
	if target == nil {
		b.walk()
		return
	}
	b.approach(target[0]-me[1], target[1]-me[2])
}

// seekFlag goes to a flag. With a flag, it goes to the stand of the other one.
func (b *bot) seekFlag(s *observation, me []int32) {
	goal := b.flag
	for team := range 2 {
		if data := s.find(msg7.TypeGameDataFlag, 0); data != nil && data[team] == int32(b.id) {
			goal = 1 - team
		}
	}
	flag := s.find(msg7.TypeFlag, goal)
	if me == nil || flag == nil {
		b.walk()
		return
	}
	b.approach(flag[0]-me[1], flag[1]-me[2])
}

// approach walks, jumps and hooks towards a place.
func (b *bot) approach(dx, dy int32) {
	in := &b.input
	in.Direction = 0
	if dx > 8 {
		in.Direction = 1
	} else if dx < -8 {
		in.Direction = -1
	}
	if dy < -20 && b.oneIn(4) || b.oneIn(20) {
		in.Jump = !in.Jump
	}
	if dy < -60 {
		if b.oneIn(10) {
			in.Hook = !in.Hook
			in.TargetX, in.TargetY = dx+b.between(-60, 60), dy-100
		}
	} else if b.oneIn(10) {
		in.Hook = false
	}
	if b.oneIn(25) {
		in.Direction = b.between(-1, 1)
	}
}

// chasePlayer follows the nearest other player and attacks it.
func (b *bot) chasePlayer(s *observation, me []int32) {
	in := &b.input
	if me == nil {
		b.pressFire(b.oneIn(2))
		return
	}
	target, best := nearest(s, msg7.TypeCharacter, func(it *item) int64 {
		if it.key.ID() == b.id {
			return -1
		}
		dx, dy := int64(it.ints[1]-me[1]), int64(it.ints[2]-me[2])
		return dx*dx + dy*dy
	})
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
		if in.WantedWeapon == 0 && b.oneIn(3) {
			in.WantedWeapon = 1
		}
		b.pressFire(b.oneIn(2))
		if b.oneIn(4) {
			in.Hook = !in.Hook
		}
	case best < 380*380:
		if b.oneIn(12) {
			in.Hook = !in.Hook
		}
		b.pressFire(b.oneIn(3))
	default:
		if b.oneIn(10) {
			in.Hook = !in.Hook
		}
		if b.oneIn(10) {
			b.pressFire(in.Fire&1 == 0)
		}
	}
}

// oddInput makes inputs that the original client does not send.
func (b *bot) oddInput() {
	in := &b.input
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
		in.Direction, in.Jump, in.Hook = b.between(-1, 1), b.oneIn(2), b.oneIn(2)
	case 7:
		in.TargetX, in.TargetY = b.between(-2, 2), b.between(-2, 2)
	}
}

// moveView moves the bot's view as a spectator, and starts and stops following players.
func (b *bot) moveView(s *observation, send func(msg7.Message)) {
	in := &b.input
	if info := s.find(msg7.TypeSpectatorInfo, b.id); info != nil && b.oneIn(3) {
		in.TargetX, in.TargetY = info[2]+b.between(-700, 700), info[3]+b.between(-600, 600)
	}
	in.Direction, in.Jump, in.Hook = 0, false, false
	if b.oneIn(15) {
		in.Fire++
	}
	if b.oneIn(40) {
		m := &msg7.ClSetSpectatorMode{Mode: msg7.SpecFreeView, SpectatorID: -1}
		if !b.oneIn(3) {
			m.Mode, m.SpectatorID = msg7.SpecPlayer, b.between(0, b.players)
		}
		if b.oneIn(3) {
			m.Mode, m.SpectatorID = msg7.SpecMode(b.between(2, 3)), -1
		}
		send(m)
	}
}
