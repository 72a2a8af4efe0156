package replay

import (
	"encoding/binary"
	"fmt"

	"github.com/teeyard/teeyard/game"
)

// A tick is a row of commands, each beginning with a byte:
//
//	0           the end of the tick
//	1..125      a command of that kind, with all its fields
//	126         the player ids of the next operation, one of those below, are 64 higher
//	127         inputs as expected, of a set of players in ascending order
//	128+player  CmdDirectInput
//	192+player  CmdInput, one that is not as expected
const (
	opEnd    = 0
	opHigh   = 126
	opInputs = 127
	opDirect = 128
	opInput  = 192

	lowIDs = 64 // ids that need no opHigh
)

// maxCommands limits the commands of a tick, and so the memory that a log makes a
// reader allocate.
const maxCommands = 1 << 16

// tickEncoder encodes ticks. tickDecoder is its inverse.
type tickEncoder struct {
	inputs [game.MaxPlayers]inputHistory
}

func isPlayerID(id game.PlayerID) bool { return id >= 0 && id < game.MaxPlayers }

// appendTick appends the commands of a tick.
func (e *tickEncoder) appendTick(dst []byte, cmds []game.Command) []byte {
	for i := 0; i < len(cmds); {
		c := &cmds[i]
		switch {
		case c.Kind == game.CmdDirectInput && isPlayerID(c.Player):
			p := &e.inputs[c.Player]
			dst = appendOp(dst, opDirect, c.Player)
			dst = appendInputDiff(dst, p.newest(), &c.Input)
			p.addArrival(&c.Input)
			i++
		case c.Kind == game.CmdInput && isPlayerID(c.Player):
			if n, players := e.countExpected(cmds[i:]); n > 0 {
				if c.Player >= lowIDs {
					dst = append(dst, opHigh)
				}
				dst = append(dst, opInputs)
				dst = binary.AppendUvarint(dst, players)
				i += n
				continue
			}
			dst = e.appendInput(dst, c)
			i++
		default:
			if c.Kind > opEnd && c.Kind < opHigh { // others have no meaning
				dst = appendCommand(dst, c)
			}
			i++
		}
	}
	return append(dst, opEnd)
}

// appendOp appends an operation with a player.
func appendOp(dst []byte, op byte, id game.PlayerID) []byte {
	if id >= lowIDs {
		dst, id = append(dst, opHigh), id-lowIDs
	}
	return append(dst, op+byte(id))
}

// countExpected counts the inputs at the start of cmds that are as expected and in
// ascending order of players. All are below lowIDs, or none is. It returns the players as bits.
func (e *tickEncoder) countExpected(cmds []game.Command) (n int, players uint64) {
	before := game.Nobody
	for i := range cmds {
		c := &cmds[i]
		if c.Kind != game.CmdInput || !isPlayerID(c.Player) || c.Player <= before ||
			c.Player/lowIDs != cmds[0].Player/lowIDs || !e.inputs[c.Player].isNext(&c.Input) {
			break
		}
		p := &e.inputs[c.Player]
		p.apply(p.lastApplied + 1)
		players |= 1 << (c.Player % lowIDs)
		before = c.Player
		n++
	}
	return n, players
}

// appendInput appends an input that is not as expected: how many arrivals it is behind
// the newest, or 0 and the difference to the one applied last.
func (e *tickEncoder) appendInput(dst []byte, c *game.Command) []byte {
	p := &e.inputs[c.Player]
	dst = appendOp(dst, opInput, c.Player)
	if n, ok := p.findArrival(&c.Input); ok {
		// The distance to the newest entry, plus 1.
		dst = binary.AppendUvarint(dst, uint64(p.count-n)+1)
		p.apply(n)
		return dst
	}
	dst = append(dst, 0)
	dst = appendInputDiff(dst, &p.applied, &c.Input)
	p.applied = c.Input
	return dst
}

// The bits of the fields of a command that are not zero.
const (
	hasPlayer = 1 << iota
	hasTarget
	hasTeam
	hasChat
	hasSpectate
	hasAsSpectator
	hasValue
	hasAddrHash
	hasInput
	hasText
	hasProfile
	hasRules
	hasTuning
	hasEmote
	hasAll
)

// appendCommand appends a command with all its fields.
func appendCommand(dst []byte, c *game.Command) []byte {
	var has uint64
	set := func(bit uint64, ok bool) {
		if ok {
			has |= bit
		}
	}
	small := [...]byte{byte(c.Player), byte(c.Target), byte(c.Team), byte(c.Chat), byte(c.Spectate)}
	for i, v := range small {
		set(hasPlayer<<i, v != 0)
	}
	set(hasAsSpectator, c.AsSpectator)
	set(hasValue, c.Value != 0)
	set(hasAddrHash, c.AddrHash != 0)
	set(hasInput, c.Input != game.Input{})
	set(hasText, c.Text != "")
	set(hasProfile, c.Profile != nil)
	set(hasRules, c.Rules != nil)
	set(hasTuning, c.Tuning != nil)
	set(hasEmote, c.Emote != 0)

	dst = append(dst, byte(c.Kind))
	dst = binary.AppendUvarint(dst, has)
	for _, v := range small {
		if v != 0 {
			dst = append(dst, v)
		}
	}
	if has&hasValue != 0 {
		dst = appendInt(dst, c.Value)
	}
	if has&hasAddrHash != 0 {
		dst = binary.LittleEndian.AppendUint64(dst, c.AddrHash)
	}
	if has&hasInput != 0 {
		dst = appendInputDiff(dst, &game.Input{}, &c.Input)
	}
	if has&hasText != 0 {
		dst = appendText(dst, c.Text)
	}
	if has&hasProfile != 0 {
		dst = appendProfile(dst, c.Profile)
	}
	if has&hasRules != 0 {
		dst = appendRules(dst, c.Rules)
	}
	if has&hasTuning != 0 {
		dst = appendTuning(dst, c.Tuning)
	}
	if has&hasEmote != 0 {
		dst = append(dst, byte(c.Emote))
	}
	return dst
}

// tickDecoder decodes ticks. The commands are valid until the next tick.
type tickDecoder struct {
	inputs [game.MaxPlayers]inputHistory
	cmds   []game.Command
}

// decodeTick decodes the commands of a tick from s.
func (d *tickDecoder) decodeTick(s *fieldReader) ([]game.Command, error) {
	clear(d.cmds)
	d.cmds = d.cmds[:0]
	for {
		op, first := s.byte(), game.PlayerID(0)
		if op == opHigh {
			if op, first = s.byte(), lowIDs; op < opInputs {
				s.fail()
			}
		}
		switch {
		case s.failed:
		case op == opEnd:
			return d.cmds, nil
		case op < opInputs:
			c := d.add(game.CommandKind(op), 0)
			c.Target = 0
			s.readCommand(c)
		case op == opInputs:
			players := s.uvarint()
			for id := first; players != 0; id, players = id+1, players>>1 {
				if players&1 == 0 {
					continue
				}
				p := &d.inputs[id]
				if p.arrival(p.lastApplied+1) == nil {
					s.fail()
					break
				}
				d.add(game.CmdInput, id).Input = *p.apply(p.lastApplied + 1)
			}
		case op < opInput:
			id := first + game.PlayerID(op-opDirect)
			p := &d.inputs[id]
			in := s.readInputDiff(*p.newest())
			p.addArrival(&in)
			d.add(game.CmdDirectInput, id).Input = in
		default:
			id := first + game.PlayerID(op-opInput)
			d.add(game.CmdInput, id).Input = d.inputs[id].decodeInput(s)
		}
		if s.failed {
			return nil, fmt.Errorf("%w: command", ErrCorrupt)
		}
		if len(d.cmds) > maxCommands {
			return nil, fmt.Errorf("%w: more than %d commands in a tick", ErrCorrupt, maxCommands)
		}
	}
}

// decodeInput decodes an input that is not as expected.
func (p *inputHistory) decodeInput(s *fieldReader) game.Input {
	back := s.uvarint()
	if back == 0 {
		p.applied = s.readInputDiff(p.applied)
		return p.applied
	}
	if back > maxArrivals || back > uint64(p.count) {
		s.fail()
		return game.Input{}
	}
	return *p.apply(p.count - uint32(back) + 1)
}

func (d *tickDecoder) add(kind game.CommandKind, id game.PlayerID) *game.Command {
	d.cmds = append(d.cmds, game.Command{Kind: kind, Player: id, Target: game.Nobody})
	return &d.cmds[len(d.cmds)-1]
}

// readCommand decodes the fields of a command.
func (s *fieldReader) readCommand(c *game.Command) {
	has := s.uvarint()
	if has >= hasAll {
		s.fail()
		return
	}
	var small [5]byte
	for i := range small {
		if has&(hasPlayer<<i) != 0 {
			small[i] = s.byte()
		}
	}
	c.Player, c.Target, c.Team = game.PlayerID(int8(small[0])), game.PlayerID(int8(small[1])), game.Team(small[2])
	c.Chat, c.Spectate = game.ChatMode(small[3]), game.SpectateMode(small[4])
	c.AsSpectator = has&hasAsSpectator != 0
	if has&hasValue != 0 {
		c.Value = s.int()
	}
	if has&hasAddrHash != 0 {
		c.AddrHash = s.uint64()
	}
	if has&hasInput != 0 {
		c.Input = s.readInputDiff(game.Input{})
	}
	if has&hasText != 0 {
		c.Text = s.readText()
	}
	if has&hasProfile != 0 {
		c.Profile = new(game.Profile)
		s.readProfile(c.Profile)
	}
	if has&hasRules != 0 {
		c.Rules = new(game.Rules)
		s.readRules(c.Rules)
	}
	if has&hasTuning != 0 {
		c.Tuning = new(game.Tuning)
		s.readTuning(c.Tuning)
	}
	if has&hasEmote != 0 {
		c.Emote = game.Emote(s.byte())
	}
}
