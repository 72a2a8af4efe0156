package script

import (
	"errors"
	"fmt"
	"math"
	"strings"

	rt "github.com/arnodel/golua/runtime"

	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/game/vec"
)

// kind is a kind of objects in scripts, such as players.
type kind struct {
	name    string
	members map[string]member
}

// member is a field or a method of objects.
type member struct {
	get, set fn // of a field; set is nil for a read-only field
	method   fn
	args     int // of the method, including the object
}

// object is the Go value behind a userdata.
type object interface {
	kind() *kind
	text() string // for tostring
}

// playerRef is a player, connected or not. Each id has one playerRef.
type playerRef struct{ id game.PlayerID }

func (*playerRef) kind() *kind    { return playerKind }
func (p *playerRef) text() string { return fmt.Sprintf("player %d", p.id) }

// playerOf returns the player in a value, and false if the value is not a player.
func playerOf(x rt.Value) (game.PlayerID, bool) {
	if u, ok := x.TryUserData(); ok {
		if p, ok := u.Value().(*playerRef); ok {
			return p.id, true
		}
	}
	return game.Nobody, false
}

// event is the data that a hook gets. It is valid only during the call.
type event[T any] struct {
	k    *kind
	data *T
}

func (e *event[T]) kind() *kind  { return e.k }
func (e *event[T]) text() string { return e.k.name }

// eventValue is an event and its Lua value.
type eventValue[T any] struct {
	*event[T]
	value rt.Value
}

func newEvent[T any](v *vm, k *kind) eventValue[T] {
	e := &event[T]{k: k}
	return eventValue[T]{e, rt.UserDataValue(rt.NewUserData(e, v.metas[k]))}
}

// openFrame makes the values of a frame.
func (v *vm) openFrame(f *frame) {
	f.result = rt.NewTerminationWith(nil, 2, false)
	f.damage = newEvent[game.Damage](v, damageKind)
	f.death = newEvent[game.Death](v, deathKind)
	f.chat = newEvent[game.ChatMessage](v, chatKind)
	f.input = newEvent[game.Input](v, inputKind)
	f.join = newEvent[game.TeamRequest](v, joinKind)
	f.finish = newEvent[game.RaceFinish](v, finishKind)
	f.entity = newEvent[game.Entity](v, entityObject)
	f.stored = newEvent[game.StoreAnswer](v, storedKind)
	f.drawing = newEvent[game.Drawing](v, drawingKind)
}

// openKind returns the metatable of a kind of objects.
func (v *vm) openKind(k *kind) *rt.Table {
	names := make([]string, 0, len(k.members))
	methods := make(map[string]rt.Value)
	read, write := make(map[string]uint64), make(map[string]uint64) // costs of the fields
	for name, m := range k.members {
		names = append(names, name)
		if m.method != nil {
			f := v.function(k.name+":"+name, m.args, false, v.changer(k.name+":"+name, m.method))
			methods[name] = f
			v.builtin[f.Interface().(*rt.GoFunction)] = true
			continue
		}
		read[name] = costOf(k.name + "." + name).call
		if m.set != nil {
			write[name] = costOf(k.name + "." + name + " =").call
		}
	}
	name := "a " + k.name
	if strings.ContainsRune("aeiou", rune(k.name[0])) && v.meter.version != firstCosts {
		name = "an " + k.name // logs of version 1 may contain the error text
	}
	find := func(c *rt.GoCont) (string, member, error) {
		if u, ok := value(c, 0).TryUserData(); !ok {
			return "", member{}, badArgument(0, "a "+k.name, value(c, 0))
		} else if o, ok := u.Value().(object); !ok || o.kind() != k {
			return "", member{}, badArgument(0, "a "+k.name, value(c, 0))
		}
		field, ok := value(c, 1).TryString()
		if !ok {
			return "", member{}, fmt.Errorf("%s has no field %s", name, describe(value(c, 1)))
		}
		m, ok := k.members[field]
		if !ok {
			return "", m, fmt.Errorf("%s has no %s%s", name, field, v.suggest(field, names))
		}
		return field, m, nil
	}
	meta := rt.NewTable()
	set(meta, "__name", rt.StringValue(k.name))
	set(meta, "__index", v.priced("index", cost{}, 2, false, func(v *vm, c *rt.GoCont) error {
		name, m, err := find(c)
		switch {
		case err != nil:
			return err
		case m.method != nil:
			v.push(c, methods[name])
			return nil
		}
		v.pay(read[name])
		return m.get(v, c)
	}))
	set(meta, "__newindex", v.priced("newindex", cost{}, 3, false, func(v *vm, c *rt.GoCont) error {
		name, m, err := find(c)
		switch {
		case err != nil:
			return err
		case m.set == nil:
			return fmt.Errorf("%s of a %s cannot be set", name, k.name)
		}
		v.pay(write[name])
		if v.tests != nil {
			return v.changing(m.set)(v, c)
		}
		return m.set(v, c)
	}))
	return meta
}

// names maps the words of scripts to the values of a type.
type names[T comparable] struct {
	what   string
	values map[string]T
	words  map[T]rt.Value
	list   []string
}

func newNames[T comparable](what string, values map[string]T) *names[T] {
	n := &names[T]{what: what, values: values, words: make(map[T]rt.Value, len(values))}
	for word, x := range values {
		n.words[x] = rt.StringValue(word)
		n.list = append(n.list, word)
	}
	return n
}

// wordsOf returns names with the words of package game for the values from first to last.
func wordsOf[T interface {
	~int8 | ~uint8
	String() string
}](what string, first, last T) *names[T] {
	values := map[string]T{}
	for x := first; x <= last; x++ {
		values[x.String()] = x
	}
	return newNames(what, values)
}

func (n *names[T]) parse(i int, x rt.Value) (t T, err error) {
	s, ok := x.TryString()
	if !ok {
		return t, badArgument(i, n.what, x)
	}
	if t, ok = n.values[s]; !ok {
		return t, badArgument(i, n.what+suggest(s, n.list), x)
	}
	return t, nil
}

// arg converts an argument.
func arg[T any](v *vm, c *rt.GoCont, i int) (t T, err error) {
	x := value(c, i)
	switch p := any(&t).(type) {
	case *game.PlayerID:
		var ok bool
		if *p, ok = playerOf(x); !ok && !x.IsNil() {
			hint := ""
			if i == 0 {
				hint = "; methods are called with a colon, as in p:kill()"
			}
			return t, badArgument(i, "a player"+hint, x)
		}
	case *int32:
		n, ok := rt.ToIntNoString(x)
		if !ok || n != int64(int32(n)) {
			return t, badArgument(i, "a whole number", x)
		}
		*p = int32(n)
	case *uint8:
		n, ok := rt.ToIntNoString(x)
		if !ok || n != int64(uint8(n)) {
			return t, badArgument(i, "a number from 0 to 255", x)
		}
		*p = uint8(n)
	case *float32:
		*p, err = coordinate(i, x)
	case *bool:
		*p = rt.Truth(x)
	case *string:
		s, ok := x.TryString()
		if x.NumberType() != rt.UnknownType {
			s, ok = plain(x), true
		}
		switch {
		case !ok:
			return t, badArgument(i, "a text", x)
		case len(s) > maxText:
			return t, fmt.Errorf("argument #%d has %d bytes, the limit is %d", i+1, len(s), maxText)
		}
		v.pay(uint64(len(s)) / 16)
		*p = strings.ToValidUTF8(strings.ReplaceAll(s, "\x00", ""), "")
	case *vec.Vec2:
		*p, err = v.vector(i, x)
	case *game.Weapon:
		*p, err = weaponNames.parse(i, x)
	case *game.Team:
		*p, err = teamNames.parse(i, x)
	case *game.PickupKind:
		*p, err = pickupNames.parse(i, x)
	case *game.Sound:
		*p, err = soundNames.parse(i, x)
	case *game.Emote:
		*p, err = emoteNames.parse(i, x)
	case *game.CharacterFlags:
		*p, err = flagNames.parse(i, x)
	case *game.Controls:
		*p, err = controlNames.parse(i, x)
	case *game.EntityID:
		n, ok := rt.ToIntNoString(x)
		if !ok || n < 0 || n > math.MaxUint32 {
			return t, badArgument(i, "the number of an entity", x)
		}
		*p = game.EntityID(n)
	case *game.PlayerMask:
		*p, err = v.mask(i, x)
	default:
		panic(fmt.Sprintf("no conversion to %T", t))
	}
	return t, err
}

// maxText is the length of the longest text that a script can send, in bytes.
const maxText = 1024

// maxCoordinate lies outside every map, in units.
const maxCoordinate = 1 << 22

func coordinate(i int, x rt.Value) (float32, error) {
	f, ok := x.TryFloat()
	if n, isInt := x.TryInt(); isInt {
		f, ok = float64(n), true
	}
	if !ok || !(math.Abs(f) <= maxCoordinate) {
		return 0, badArgument(i, "a number", x)
	}
	return float32(f), nil
}

func (v *vm) vector(i int, x rt.Value) (vec.Vec2, error) {
	t, ok := x.TryTable()
	if !ok {
		return vec.Vec2{}, badArgument(i, "a position such as {x = 1, y = 2}", x)
	}
	t = v.contents(t)
	px, err := coordinate(i, t.Get(xKey))
	if err != nil {
		return vec.Vec2{}, fmt.Errorf("x: %w", err)
	}
	py, err := coordinate(i, t.Get(yKey))
	if err != nil {
		return vec.Vec2{}, fmt.Errorf("y: %w", err)
	}
	return vec.Vec2{X: px, Y: py}, nil
}

var (
	xKey = rt.StringValue("x")
	yKey = rt.StringValue("y")
)

// mask converts viewers: nil for all players, one player, a team, or a list of players.
func (v *vm) mask(i int, x rt.Value) (game.PlayerMask, error) {
	if x.IsNil() {
		return game.MaskAll, nil
	}
	if id, ok := playerOf(x); ok {
		return game.MaskOne(id), nil
	}
	if _, ok := x.TryString(); ok && v.tx != nil {
		team, err := teamNames.parse(i, x)
		return v.tx.TeamMask(team), err
	}
	t, ok := x.TryTable()
	if !ok {
		return game.PlayerMask{}, badArgument(i, "a player, a team, a list of players or nil for all", x)
	}
	t = v.contents(t)
	var m game.PlayerMask
	for n := v.len(t); n > 0; n-- {
		v.payItem(n, costInsert)
		id, ok := playerOf(t.Get(rt.IntValue(n)))
		if !ok {
			return game.PlayerMask{}, badArgument(i, "a list of players", x)
		}
		m.Add(id)
	}
	return m, nil
}

// result pushes a result.
func result[T any](v *vm, c *rt.GoCont, t T) {
	v.push(c, toValue(v, t))
}

func toValue[T any](v *vm, t T) rt.Value {
	switch x := any(t).(type) {
	case game.PlayerID:
		return v.player(x)
	case int32:
		return rt.IntValue(int64(x))
	case int:
		return rt.IntValue(int64(x))
	case uint8:
		return rt.IntValue(int64(x))
	case float32:
		return rt.FloatValue(float64(x))
	case bool:
		return rt.BoolValue(x)
	case string:
		v.r.RequireBytes(len(x))
		return rt.StringValue(x)
	case vec.Vec2:
		t := rt.NewTable()
		v.needs(200)
		v.r.RequireMem(t.Set(xKey, rt.FloatValue(float64(x.X))) + t.Set(yKey, rt.FloatValue(float64(x.Y))) + 100)
		return rt.TableValue(t)
	case game.Weapon:
		return weaponNames.words[x]
	case game.Team:
		return teamNames.words[x]
	case game.PickupKind:
		return pickupNames.words[x]
	case game.EntityID:
		if x == game.NoEntity {
			return rt.NilValue
		}
		return rt.IntValue(int64(x))
	case rt.Value:
		return x
	}
	panic(fmt.Sprintf("no conversion from %T", t))
}

// player returns the value of a player, or nil for Nobody.
func (v *vm) player(id game.PlayerID) rt.Value {
	if id < 0 || id >= game.MaxPlayers {
		return rt.NilValue
	}
	return v.players[id]
}

// enter begins a call into the game. The game can call hooks during it.
func (v *vm) enter() (*game.Tx, error) {
	if v.tx == nil || v.drawing {
		return v.enterOutside()
	}
	v.inGame++
	return v.tx, nil
}

// enterOutside is enter outside hooks. In a test it begins the match.
func (v *vm) enterOutside() (*game.Tx, error) {
	if v.drawing {
		return nil, errDrawing
	}
	if err := v.beginTest(); err != nil {
		return nil, err
	}
	v.inGame++
	return v.tx, nil
}

// leave ends a call into the game.
func (v *vm) leave() {
	v.inGame--
	if v.dead {
		panic(errDead{}) // a hook called by the game exceeded the limits
	}
}

// do0 to do3 and ask0 to ask3 turn methods of game.Tx into functions for scripts: ask for methods
// with a result, do for methods without one. The digit is the number of arguments.

func do0(f func(*game.Tx)) fn {
	return func(v *vm, c *rt.GoCont) error {
		tx, err := v.enter()
		if err != nil {
			return err
		}
		f(tx)
		v.leave()
		return nil
	}
}

func do1[A any](f func(*game.Tx, A)) fn {
	return func(v *vm, c *rt.GoCont) error {
		a, err := arg[A](v, c, 0)
		if err != nil {
			return err
		}
		tx, err := v.enter()
		if err != nil {
			return err
		}
		f(tx, a)
		v.leave()
		return nil
	}
}

func do2[A, B any](f func(*game.Tx, A, B)) fn {
	return func(v *vm, c *rt.GoCont) error {
		a, err := arg[A](v, c, 0)
		if err != nil {
			return err
		}
		b, err := arg[B](v, c, 1)
		if err != nil {
			return err
		}
		return do0(func(tx *game.Tx) { f(tx, a, b) })(v, c)
	}
}

func do3[A, B, C any](f func(*game.Tx, A, B, C)) fn {
	return func(v *vm, c *rt.GoCont) error {
		a, err := arg[A](v, c, 0)
		if err != nil {
			return err
		}
		b, err := arg[B](v, c, 1)
		if err != nil {
			return err
		}
		x, err := arg[C](v, c, 2)
		if err != nil {
			return err
		}
		return do0(func(tx *game.Tx) { f(tx, a, b, x) })(v, c)
	}
}

func ask0[R any](f func(*game.Tx) R) fn {
	return func(v *vm, c *rt.GoCont) error {
		tx, err := v.enter()
		if err != nil {
			return err
		}
		r := f(tx)
		v.leave()
		result(v, c, r)
		return nil
	}
}

func ask1[A, R any](f func(*game.Tx, A) R) fn {
	return func(v *vm, c *rt.GoCont) error {
		a, err := arg[A](v, c, 0)
		if err != nil {
			return err
		}
		tx, err := v.enter()
		if err != nil {
			return err
		}
		r := f(tx, a)
		v.leave()
		result(v, c, r)
		return nil
	}
}

func ask2[A, B, R any](f func(*game.Tx, A, B) R) fn {
	return func(v *vm, c *rt.GoCont) error {
		a, err := arg[A](v, c, 0)
		if err != nil {
			return err
		}
		b, err := arg[B](v, c, 1)
		if err != nil {
			return err
		}
		return ask0(func(tx *game.Tx) R { return f(tx, a, b) })(v, c)
	}
}

func ask3[A, B, C, R any](f func(*game.Tx, A, B, C) R) fn {
	return func(v *vm, c *rt.GoCont) error {
		a, err := arg[A](v, c, 0)
		if err != nil {
			return err
		}
		b, err := arg[B](v, c, 1)
		if err != nil {
			return err
		}
		x, err := arg[C](v, c, 2)
		if err != nil {
			return err
		}
		return ask0(func(tx *game.Tx) R { return f(tx, a, b, x) })(v, c)
	}
}

// doPlayer0 to doPlayer2 and askPlayer0 and askPlayer1 do the same with methods of game.Player. The
// digit is the number of arguments after the player.

func doPlayer0(f func(game.Player)) fn {
	return do1(func(tx *game.Tx, id game.PlayerID) { f(tx.Player(id)) })
}

func doPlayer1[A any](f func(game.Player, A)) fn {
	return do2(func(tx *game.Tx, id game.PlayerID, a A) { f(tx.Player(id), a) })
}

func doPlayer2[A, B any](f func(game.Player, A, B)) fn {
	return do3(func(tx *game.Tx, id game.PlayerID, a A, b B) { f(tx.Player(id), a, b) })
}

func askPlayer0[R any](f func(game.Player) R) fn {
	return ask1(func(tx *game.Tx, id game.PlayerID) R { return f(tx.Player(id)) })
}

func askPlayer1[A, R any](f func(game.Player, A) R) fn {
	return ask2(func(tx *game.Tx, id game.PlayerID, a A) R { return f(tx.Player(id), a) })
}

// optional returns a field of players that is nil if ok is false.
func optional(get func(game.Player) (n int32, ok bool)) member {
	return member{get: func(v *vm, c *rt.GoCont) error {
		x := rt.NilValue
		err := doPlayer0(func(p game.Player) {
			if n, ok := get(p); ok {
				x = rt.IntValue(int64(n))
			}
		})(v, c)
		v.push(c, x)
		return err
	}}
}

// property returns a field of players. set can be nil.
func property[T any](get func(game.Player) T, set func(game.Player, T)) member {
	m := member{get: askPlayer0(get)}
	if set != nil {
		m.set = func(v *vm, c *rt.GoCont) error {
			x, err := arg[T](v, c, 2)
			if err != nil {
				return err
			}
			return doPlayer0(func(p game.Player) { set(p, x) })(v, c)
		}
	}
	return m
}

// method returns a method of players. n is the number of arguments, including the player.
func method(n int, f fn) member { return member{method: f, args: n} }

var errDrawing = errors.New("draw shows its entity, and reads and changes nothing else: tick can store values in the entity with e:set")

var errEnded = errors.New("this can be used only during the hook that it was given to")

// part returns a field of the data of an event. set can be nil.
func part[E, T any](get func(*E) T, set func(*E, T)) member {
	data := func(c *rt.GoCont) (*E, error) {
		if e := value(c, 0).AsUserData().Value().(*event[E]); e.data != nil {
			return e.data, nil
		}
		return nil, errEnded
	}
	m := member{get: func(v *vm, c *rt.GoCont) error {
		e, err := data(c)
		if err != nil {
			return err
		}
		result(v, c, get(e))
		return nil
	}}
	if set != nil {
		m.set = func(v *vm, c *rt.GoCont) error {
			e, err := data(c)
			if err != nil {
				return err
			}
			if v.drawing {
				return errDrawing
			}
			x, err := arg[T](v, c, 2)
			if err != nil {
				return err
			}
			set(e, x)
			return nil
		}
	}
	return m
}

// oldCosts marks a function that costs extra steps with the costs of version 1.
func oldCosts(steps uint64, f fn) fn {
	return func(v *vm, c *rt.GoCont) error {
		v.old(steps)
		return f(v, c)
	}
}
