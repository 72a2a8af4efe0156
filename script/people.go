package script

import (
	"errors"
	"fmt"
	"path"
	"strings"

	rt "github.com/arnodel/golua/runtime"

	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/game/vec"
)

// peopleMembers are the fields and methods of players that concern their clients.
var peopleMembers = map[string]member{
	"broadcast":   method(2, oldCosts(messageCost, doPlayer1(game.Player.Broadcast))),
	"motd":        method(2, oldCosts(messageCost, doPlayer1(game.Player.Motd))),
	"screen_text": method(2, oldCosts(20, doPlayer1(game.Player.SetScreenText))),
	"hide_menu":   method(1, doPlayer0(game.Player.HideMenu)),
}

// choice is a menu or a vote that a file declares. It calls a function with the choice.
type choice struct {
	k    *kind
	name string
	run  rt.Value
	id   int32 // of the Menu or Vote of the world, set in Start
}

func (c *choice) kind() *kind  { return c.k }
func (c *choice) text() string { return c.k.name + " " + c.name }

var (
	menuKind = &kind{"menu", nil}
	voteKind = &kind{"vote", nil}

	storedKind = &kind{"answer of the store", map[string]member{
		"id":    part(func(a *game.StoreAnswer) int32 { return a.ID }, nil),
		"op":    part(func(a *game.StoreAnswer) string { return storeOps[a.Op] }, nil),
		"key":   part(func(a *game.StoreAnswer) string { return a.Key }, nil),
		"error": part(func(a *game.StoreAnswer) string { return a.Err }, nil),
		"found": part(func(a *game.StoreAnswer) bool { return a.Found }, nil),
		"value": part(func(a *game.StoreAnswer) string { return a.Value }, nil),
		"rows":  method(1, storedRows),
	}}
	storeOps = map[game.StoreOp]string{
		game.StorePut: "put", game.StoreGet: "get", game.StoreBest: "put_best", game.StoreAdd: "add",
		game.StoreDrop: "drop", game.StoreRow: "row", game.StoreTop: "top",
	}
)

func init() {
	menuKind.members = map[string]member{"show": method(3, oldCosts(messageCost, showMenu))}
	voteKind.members = map[string]member{"start": method(3, oldCosts(messageCost, startVote)), "stop": method(1, stopVote)}
	kinds = append(kinds, menuKind, voteKind, storedKind)
}

// choice returns the menu or vote with a name, or nil.
func (d *declared) choice(k *kind, name string) *choice {
	for _, c := range d.choices {
		if c.k == k && c.name == name {
			return c
		}
	}
	return nil
}

// declareChoice returns the functions menu{name = ..., run = function(player, line) end} and
// vote{name = ..., run = function(passed) end}.
func declareChoice(k *kind) fn {
	return func(v *vm, c *rt.GoCont) error {
		f := v.declaration(c, "name", "run")
		x := &choice{k: k, name: f.text("name"), run: f.function("run")}
		if x.run.IsNil() {
			f.wrong("run", "a function")
		}
		if f.err == nil && v.declared.choice(k, x.name) != nil {
			f.err = fmt.Errorf("there is a %s %s already", k.name, x.name)
		}
		if f.err != nil {
			return f.err
		}
		v.declared.choices = append(v.declared.choices, x)
		v.push(c, rt.UserDataValue(rt.NewUserData(x, v.metas[k])))
		return nil
	}
}

// addChoices adds menus and votes to the world. They call the functions of the current script, also
// after a reload.
func (m *Mod) addChoices(setup *game.Setup) {
	for _, c := range m.vm.declared.choices {
		k, name := c.k, c.name
		run := func(ctx *game.Ctx, args ...rt.Value) {
			if c := m.vm.declared.choice(k, name); c != nil {
				m.callFunction(&ctx.Tx, c.run, args...)
			}
		}
		if k == menuKind {
			c.id = int32(setup.Menu(func(ctx *game.Ctx, id game.PlayerID, line int) {
				run(ctx, m.vm.player(id), rt.IntValue(int64(line+1)))
			}))
		} else {
			c.id = int32(setup.Vote(func(ctx *game.Ctx, passed bool) { run(ctx, rt.BoolValue(passed)) }))
		}
		m.choices[k.name+" "+name] = c.id
	}
}

// choiceOf returns the menu or vote on which a method is called.
func choiceOf(c *rt.GoCont, k *kind) (*choice, error) {
	if u, ok := value(c, 0).TryUserData(); ok {
		if x, ok := u.Value().(*choice); ok && x.k == k {
			if x.id == 0 {
				return nil, fmt.Errorf("a %s that is new can be used with the next map", k.name)
			}
			return x, nil
		}
	}
	return nil, badArgument(0, "a "+k.name, value(c, 0))
}

// showMenu is menu:show(player, {"line", "line"}).
func showMenu(v *vm, c *rt.GoCont) error {
	menu, err := choiceOf(c, menuKind)
	if err != nil {
		return err
	}
	id, err := arg[game.PlayerID](v, c, 1)
	if err != nil {
		return err
	}
	t, err := v.readable(c, 2)
	if err != nil {
		return err
	}
	var lines []string
	for i := int64(1); i <= v.len(t) && i <= 64; i++ {
		s, ok := t.Get(rt.IntValue(i)).TryString()
		if !ok {
			return badArgument(2, "a list of texts", value(c, 2))
		}
		v.pay(2 + uint64(len(s))/16)
		lines = append(lines, strings.ToValidUTF8(s, ""))
	}
	return do0(func(tx *game.Tx) { tx.Player(id).ShowMenu(game.Menu(menu.id), lines...) })(v, c)
}

// startVote is vote:start(text, caller).
func startVote(v *vm, c *rt.GoCont) error {
	vote, err := choiceOf(c, voteKind)
	if err != nil {
		return err
	}
	text, err := arg[string](v, c, 1)
	if err != nil {
		return err
	}
	caller, err := arg[game.PlayerID](v, c, 2)
	if err != nil {
		return err
	}
	return ask0(func(tx *game.Tx) bool { return tx.StartVote(game.Vote(vote.id), caller, text) })(v, c)
}

func stopVote(v *vm, c *rt.GoCont) error {
	vote, err := choiceOf(c, voteKind)
	if err != nil {
		return err
	}
	return do0(func(tx *game.Tx) { tx.StopVote(game.Vote(vote.id)) })(v, c)
}

// killFeed is game.kill_feed(killer, victim, weapon, viewers).
func killFeed(v *vm, c *rt.GoCont) error {
	to, err := arg[game.PlayerMask](v, c, 3)
	if err != nil {
		return err
	}
	return do3(func(tx *game.Tx, killer, victim game.PlayerID, w game.Weapon) {
		tx.Effects(to).KillFeed(killer, victim, w)
	})(v, c)
}

// space returns the name of the script's space in the storage.
func (v *vm) space() string {
	return strings.TrimSuffix(path.Base(v.name), path.Ext(v.name))
}

// errNotStored is the error for a request that the storage does not accept.
var errNotStored = errors.New("a name or value is too long for the store, or there were too many requests in this tick")

// arguments reads the arguments of a function of the table store. Its methods keep the first error.
type arguments struct {
	v   *vm
	c   *rt.GoCont
	n   int
	err error
}

func (a *arguments) text() string {
	s, err := option(a.v, a.c, a.n, "")
	a.keep(err)
	return s
}

func (a *arguments) number() int64 {
	n, ok := rt.ToIntNoString(value(a.c, a.n))
	if !ok {
		a.keep(badArgument(a.n, "a whole number", value(a.c, a.n)))
		return 0
	}
	a.n++
	return n
}

func (a *arguments) truth() bool {
	a.n++
	return rt.Truth(value(a.c, a.n-1))
}

func (a *arguments) row() game.Row {
	return game.Row{Name: a.text(), Score: a.number(), Value: a.text()}
}

func (a *arguments) keep(err error) {
	if a.n++; a.err == nil {
		a.err = err
	}
}

// storeFunctions are the functions of the table store: data that outlives matches and restarts, in
// a space of the script. They return the number of the request; on_stored gets the same number with
// the answer.
var storeFunctions = map[string]func(a *arguments) func(game.Storage) int32{
	"put": func(a *arguments) func(game.Storage) int32 {
		key, x := a.text(), a.text()
		return func(s game.Storage) int32 { return s.Put(key, x) }
	},
	"get": func(a *arguments) func(game.Storage) int32 {
		key := a.text()
		return func(s game.Storage) int32 { return s.Get(key) }
	},
	"put_best": func(a *arguments) func(game.Storage) int32 {
		table, row, low := a.text(), a.row(), a.truth()
		return func(s game.Storage) int32 { return s.PutBest(table, row, low) }
	},
	"add": func(a *arguments) func(game.Storage) int32 {
		table, row := a.text(), a.row()
		return func(s game.Storage) int32 { return s.Add(table, row) }
	},
	"drop": func(a *arguments) func(game.Storage) int32 {
		table, name := a.text(), a.text()
		return func(s game.Storage) int32 { return s.Drop(table, name) }
	},
	"row": func(a *arguments) func(game.Storage) int32 {
		table, name := a.text(), a.text()
		return func(s game.Storage) int32 { return s.Row(table, name) }
	},
	"top": func(a *arguments) func(game.Storage) int32 {
		table, n, low := a.text(), a.number(), a.truth()
		return func(s game.Storage) int32 { return s.Top(table, int32(min(max(n, 1), game.MaxStoreRows)), low) }
	},
}

// openStore defines the table store.
func (v *vm) openStore() {
	t := rt.NewTable()
	for name, prepare := range storeFunctions {
		set(t, name, v.function("store."+name, 5, false, oldCosts(messageCost, func(v *vm, c *rt.GoCont) error {
			a := &arguments{v: v, c: c}
			request := prepare(a)
			if a.err != nil {
				return a.err
			}
			tx, err := v.enter()
			if err != nil {
				return err
			}
			id := request(tx.Storage(v.space()))
			v.leave()
			if id == 0 {
				return errNotStored
			}
			v.push(c, rt.IntValue(int64(id)))
			return nil
		})))
	}
	v.apiTable("store", t)
	set(v.env, "store", rt.TableValue(t))
}

// OnStored calls on_stored(answer) for the answers to requests of this script.
func (m *Mod) OnStored(ctx *game.Ctx, a *game.StoreAnswer) {
	if a.Space == m.vm.space() {
		about(m, ctx, hookStored, func(f *frame) *eventValue[game.StoreAnswer] { return &f.stored }, a)
	}
}

// storedRows is answer:rows(), a list of {name = ..., score = ..., value = ...}.
func storedRows(v *vm, c *rt.GoCont) error {
	u, _ := value(c, 0).TryUserData()
	if u == nil {
		return badArgument(0, "an answer of the store", value(c, 0))
	}
	e, ok := u.Value().(*event[game.StoreAnswer])
	if !ok || e.data == nil {
		return errEnded
	}
	t := rt.NewTable()
	for i := range e.data.Rows {
		r := &e.data.Rows[i]
		v.r.RequireMem(300)
		v.payItems(costOf("answer of the store:rows"), 1)
		row := rt.NewTable()
		set(row, "name", toValue(v, r.Name))
		set(row, "score", rt.IntValue(r.Score))
		set(row, "value", toValue(v, r.Value))
		v.r.SetTable(t, rt.IntValue(int64(i+1)), rt.TableValue(row))
	}
	v.push(c, rt.TableValue(t))
	return nil
}

// showDamage is game.show_damage(pos, player, angle, stars, viewers).
func showDamage(v *vm, c *rt.GoCont) error {
	n, err := arg[int32](v, c, 3)
	if err != nil {
		return err
	}
	to, err := arg[game.PlayerMask](v, c, 4)
	if err != nil {
		return err
	}
	return do3(func(tx *game.Tx, pos vec.Vec2, id game.PlayerID, angle float32) {
		tx.Effects(to).Damage(pos, id, angle, n)
	})(v, c)
}

// flagMessages are the game messages of capture the flag.
var flagMessages = newNames("drop, return, grab or capture", map[string]game.GameMsg{
	"drop": game.GameMsgCTFDrop, "return": game.GameMsgCTFReturn, "grab": game.GameMsgCTFGrab, "capture": game.GameMsgCTFCapture,
})

// flagMessage is game.flag_message(what, team, player, ticks, viewers). Clients show it in their
// own words and play a sound.
func flagMessage(v *vm, c *rt.GoCont) error {
	what, err := flagMessages.parse(0, value(c, 0))
	if err != nil {
		return err
	}
	team, err := option(v, c, 1, game.TeamRed)
	if err != nil {
		return err
	}
	id, err := option(v, c, 2, game.Nobody)
	if err != nil {
		return err
	}
	ticks, err := option[int32](v, c, 3, 0)
	if err != nil {
		return err
	}
	to, err := arg[game.PlayerMask](v, c, 4)
	if err != nil {
		return err
	}
	return do0(func(tx *game.Tx) { tx.Effects(to).GameMsg(what, int32(team), id, ticks) })(v, c)
}
