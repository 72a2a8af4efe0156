package ddrace

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/teeyard/teeyard/game/physics"
)

const (
	// maxSavedText is the longest text that DDNet-Server reads, in bytes.
	maxSavedText = 64<<10 - 1
	maxSavedName = 15 // bytes
)

// The numbers of fields of a tee in the versions of DDNet up to 16.4. Later versions have more.
const (
	fieldsFirst      = 96
	fieldsEligible   = 97  // with NotEligible
	fieldsTelegun    = 101 // teleguns and GameID
	fieldsInput      = 108 // the hooked tee, inputs and the timer of weapons
	fieldsStarted    = 109
	fieldsLiveFreeze = 110
)

const (
	fieldsOfTeam   = 5 // formerly without Practice
	fieldsOfSwitch = 3
)

// The bits of the weapons that do not affect others.
const (
	unhitHammer  = 1
	unhitShotgun = 2
	unhitGrenade = 4
	unhitLaser   = 8
)

// savedFields reads or writes the fields of a line in their order.
type savedFields struct {
	writing bool
	out     []byte
	in      []string
	at      int
	err     error
}

// next returns the next field to read, or "" at the end and after an error.
func (f *savedFields) next() string {
	f.at++
	if f.err != nil || f.at > len(f.in) {
		return ""
	}
	return f.in[f.at-1]
}

func (f *savedFields) fail(text, want string) {
	if f.err == nil {
		f.err = fmt.Errorf("%w: field %d is %q, not %s", ErrSave, f.at, text, want)
	}
}

func (f *savedFields) tab() {
	if f.at++; f.at > 1 {
		f.out = append(f.out, '\t')
	}
}

// int is a number. Reading limits it to lo to hi.
func (f *savedFields) int(n *int32, lo, hi int32) {
	if f.writing {
		f.tab()
		f.out = strconv.AppendInt(f.out, int64(*n), 10)
		return
	}
	text := f.next()
	if text == "" && (f.err != nil || f.at > len(f.in)) {
		return
	}
	v, err := strconv.ParseInt(text, 10, 64)
	if err != nil && v != math.MaxInt64 && v != math.MinInt64 {
		f.fail(text, "a number")
		return
	}
	*n = int32(min(max(v, int64(lo)), int64(hi)))
}

// small is int for other types.
func small[T ~int8 | ~uint8 | ~int32](f *savedFields, p *T, lo, hi int32) {
	n := int32(*p)
	f.int(&n, lo, hi)
	*p = T(n)
}

func (f *savedFields) bool(p *bool) {
	var n int32
	if *p {
		n = 1
	}
	f.int(&n, math.MinInt32, math.MaxInt32)
	*p = n != 0
}

// float is a number with six decimals.
func (f *savedFields) float(p *float32, limit float32) {
	if f.writing {
		f.tab()
		f.out = strconv.AppendFloat(f.out, float64(*p), 'f', 6, 64)
		return
	}
	text := f.next()
	if text == "" && (f.err != nil || f.at > len(f.in)) {
		return
	}
	v, err := strconv.ParseFloat(text, 32)
	if err != nil && !math.IsInf(v, 0) || math.IsNaN(v) {
		f.fail(text, "a number")
		return
	}
	*p = min(max(float32(v), -limit), limit)
}

// pos is a position in units. Append writes whole units only.
func (f *savedFields) pos(p *Vec) {
	for _, v := range [...]*float32{&p.X, &p.Y} {
		if f.writing {
			n := int32(min(max(*v, -maxSavedPos), maxSavedPos))
			f.int(&n, 0, 0)
		} else {
			f.float(v, maxSavedPos)
		}
	}
}

// maxSavedPos limits coordinates, in units. All whole numbers up to it are exact.
const maxSavedPos float32 = 1 << 23

// text is a text without spaces at its ends, of at most limit bytes.
func (f *savedFields) text(s *string, limit int) {
	if f.writing {
		f.tab()
		f.out = append(f.out, printable(*s)...)
		return
	}
	text := printable(f.next())
	for len(text) > limit {
		_, n := utf8.DecodeLastRuneInString(text)
		text = text[:len(text)-n]
	}
	*s = strings.TrimSpace(text)
}

// printable returns a text with blanks in place of control characters, and without bytes that are
// not UTF-8.
func printable(s string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(s, ""))
}

// unused is a field without a meaning for the world.
func (f *savedFields) unused(value int32) { f.int(&value, math.MinInt32, math.MaxInt32) }

// fields visits the fields of a tee.
func (s *SavedTee) fields(f *savedFields) {
	t := &s.tee
	k := &t.Core
	alive := int32(1)
	f.text(&s.Name, maxSavedName)
	f.int(&alive, 0, 1)
	f.int(&s.Paused, 0, 2)
	f.unused(t.fakedTuning())
	f.bool(&s.Finished)
	f.bool(&k.Solo)
	for i := range t.Weapons {
		ammo := int32(0)
		if t.loaded[i] {
			ammo = -1
		}
		f.unused(0) // when it gets ammunition again
		f.unused(ammo)
		f.unused(0) // what a shot costs
		f.bool(&t.Weapons[i])
	}
	small(f, &t.LastWeapon, 0, int32(NumWeapons-1))
	small(f, &t.QueuedWeapon, -1, int32(NumWeapons-1))
	f.bool(&t.AirJumps)
	f.bool(&t.Jetpack)
	f.bool(&t.NinjaJetpack)
	f.int(&t.FreezeTime, -1, 255*TickRate)
	f.int(&s.freezeAge, 0, maxSavedTime)
	f.bool(&t.Deep)
	f.bool(&t.EndlessHook)
	small(f, &t.Race, 0, int32(RaceFinished))
	s.unhit(f)
	collides, hooks := !k.NoCollision, !k.NoHookHit
	f.bool(&collides)
	small(f, &t.Zone, 0, 255)
	f.unused(int32(t.Zone)) // the one before
	f.bool(&hooks)
	k.NoCollision, k.NoHookHit = !collides, !hooks
	f.int(&s.Time, 0, maxSavedTime)
	f.pos(&t.Pos)
	f.pos(&t.PrevPos)
	small(f, &t.TeleCheckpoint, 0, 255)
	f.bool(&t.lastPenalty)
	f.pos(&k.Pos)
	f.float(&k.Vel.X, maxSpeed)
	f.float(&k.Vel.Y, maxSpeed)
	small(f, &t.ActiveWeapon, 0, int32(NumWeapons-1))
	f.int(&k.Jumped, 0, jumpHeld|jumpUsed)
	f.int(&k.JumpedTotal, 0, 1<<20)
	f.int(&k.Jumps, math.MinInt32, math.MaxInt32)
	f.pos(&k.HookPos)
	f.float(&k.HookDir.X, 1)
	f.float(&k.HookDir.Y, 1)
	f.pos(&k.HookTeleBase)
	f.int(&k.HookTick, 0, 1<<20)
	f.int(&k.HookState, -1, 5)
	f.unused(0) // when a broadcast of a checkpoint ends
	small(f, &t.LastCheckpoint, -1, NumCheckpoints-1)
	f.unused(-1) // the last one that was shown
	for i := range t.Checkpoints {
		seconds := float32(t.Checkpoints[i]) / TickRate
		f.float(&seconds, maxSavedTime/TickRate)
		t.Checkpoints[i] = max(ticksOf(seconds), 0)
	}
	f.bool(&s.NotEligible)
	f.bool(&t.Telegun)
	f.bool(&t.Telelaser)
	f.bool(&t.Telegrenade)
	f.text(&s.GameID, 36)
	f.int(&s.Hooked, -1, MaxTees-1)
	f.bool(&k.NewHook)
	in := &t.savedInput
	f.int(&in.Direction, -1, 1)
	f.bool(&in.Jump)
	f.int(&in.Fire, 0, 63)
	f.bool(&in.Hook)
	f.int(&t.ReloadTimer, 0, 255*TickRate)
	f.bool(&s.Started)
	f.bool(&t.Live)
}

// unhit is the field with a bit for each weapon that does not affect others.
func (s *SavedTee) unhit(f *savedFields) {
	t := &s.tee
	var flags int32
	of := []struct {
		flag *bool
		bit  int32
	}{{&t.UnhitHammer, unhitHammer}, {&t.UnhitShotgun, unhitShotgun}, {&t.UnhitGrenade, unhitGrenade}, {&t.UnhitLaser, unhitLaser}}
	for _, o := range of {
		if *o.flag {
			flags |= o.bit
		}
	}
	f.int(&flags, 0, unhitHammer|unhitShotgun|unhitGrenade|unhitLaser)
	for _, o := range of {
		*o.flag = flags&o.bit != 0
	}
}

// fakedTuning returns the reasons why the player's client gets other tunings, as bits of
// DDNet-Server.
func (t *Tee) fakedTuning() (bits int32) {
	for _, o := range [...]struct {
		is  bool
		bit int32
	}{
		{t.Core.Solo, 2}, {t.Core.Jumps == 0, 4}, {t.Core.NoCollision, 8}, {t.Core.NoHookHit, 16}, {t.Jetpack, 32}, {t.UnhitHammer, 64},
	} {
		if o.is {
			bits |= o.bit
		}
	}
	return bits
}

// Append appends the state to dst in the format of DDNet-Server 16.4.
func (s *SavedTeam) Append(dst []byte) []byte {
	f := savedFields{writing: true, out: dst}
	line := func() {
		f.out = append(f.out, '\n')
		f.at = 0
	}
	members, switches := int32(len(s.Tees)), int32(len(s.Switches))
	f.int(&s.State, 0, 0)
	f.int(&members, 0, 0)
	f.int(&switches, 0, 0)
	f.bool(&s.Locked)
	f.bool(&s.Practice)
	for i := range s.Tees {
		line()
		tee := s.Tees[i]
		tee.fields(&f)
	}
	for i := range s.Switches {
		line()
		s.Switches[i].fields(&f)
	}
	return f.out
}

func (s *SavedSwitch) fields(f *savedFields) {
	f.bool(&s.Active)
	f.int(&s.Age, -maxSavedTime, maxSavedTime)
	f.int(&s.Kind, 0, 255)
}

// ParseSavedTeam parses the state of a team in the format of DDNet, also of older and newer
// versions. It replaces numbers out of range by the nearest valid numbers.
func ParseSavedTeam(text string) (*SavedTeam, error) {
	if len(text) > maxSavedText {
		return nil, fmt.Errorf("%w: it has %d bytes, more than %d", ErrSave, len(text), maxSavedText)
	}
	lines := strings.Split(text, "\n")
	s := new(SavedTeam)
	var members, switches int32
	f := savedFields{in: strings.Split(lines[0], "\t")}
	f.int(&s.State, 0, 4)
	f.int(&members, 0, math.MaxInt32)
	f.int(&switches, 0, math.MaxInt32)
	f.bool(&s.Locked)
	f.bool(&s.Practice)
	switch {
	case f.err != nil:
		return nil, f.err
	case len(f.in) < fieldsOfTeam-1:
		return nil, fmt.Errorf("%w: the first line has %d fields, not %d", ErrSave, len(f.in), fieldsOfTeam)
	case members < 1 || members > MaxTees || switches > 255:
		return nil, fmt.Errorf("%w: it has %d tees, not 1 to %d, or %d switches, more than 255", ErrSave, members, MaxTees, switches)
	case len(lines) != int(1+members+switches):
		return nil, fmt.Errorf("%w: %d lines for %d tees and %d switches", ErrSave, len(lines), members, switches)
	}
	s.Tees = make([]SavedTee, members)
	for i := range s.Tees {
		if err := s.Tees[i].parse(lines[1+i]); err != nil {
			return nil, fmt.Errorf("line %d: %w", 2+i, err)
		}
		if s.Tees[i].Hooked >= members {
			s.Tees[i].Hooked = noTee
		}
	}
	s.Switches = make([]SavedSwitch, switches)
	for i := range s.Switches {
		f := savedFields{in: strings.Split(lines[1+int(members)+i], "\t")}
		s.Switches[i].fields(&f)
		switch {
		case f.err != nil:
			return nil, fmt.Errorf("switch %d: %w", 1+i, f.err)
		case len(f.in) < fieldsOfSwitch:
			return nil, fmt.Errorf("switch %d: %w: it has %d fields, not %d", 1+i, ErrSave, len(f.in), fieldsOfSwitch)
		}
	}
	return s, nil
}

func (s *SavedTee) parse(line string) error {
	f := savedFields{in: strings.Split(line, "\t")}
	n := len(f.in)
	switch {
	case n >= fieldsLiveFreeze || n == fieldsStarted || n == fieldsInput || n == fieldsTelegun || n == fieldsEligible || n == fieldsFirst:
	default:
		return fmt.Errorf("%w: a tee with %d fields", ErrSave, n)
	}
	s.Hooked = noTee
	s.fields(&f)
	if f.err == nil && s.Name == "" {
		return fmt.Errorf("%w: a tee without a name", ErrSave)
	}
	if n < fieldsInput && s.tee.Core.HookState == physics.HookGrabbed {
		s.tee.Core.HookState = physics.HookFlying
	}
	if n < fieldsStarted {
		s.Started = true
	}
	for i := range s.tee.loaded {
		s.tee.loaded[i] = true // as a server has it that loaded the tee
	}
	return f.err
}
