package script

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	rt "github.com/arnodel/golua/runtime"

	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/game/modtest"
	"github.com/teeyard/teeyard/game/vec"
)

// testFunction is a function of the table test.
type testFunction struct {
	args  int
	etc   bool // any number of further arguments
	setup bool // allowed while the file is read, and only before the match
	f     func(r *testRun, v *vm, c *rt.GoCont) error
}

// testFunctions are the functions of the table test.
var testFunctions = map[string]testFunction{
	"mods": {0, true, true, testMods},
	"mode": {1, false, true, testMode},
	"map":  {1, false, true, testMap},

	"join":  {0, true, false, testJoin},
	"leave": {1, false, false, testLeave},

	"run":       {1, false, false, testRunTicks},
	"run_until": {3, false, false, testRunUntil},

	"input":   {2, false, false, testInput},
	"shoot":   {3, false, false, testShoot},
	"say":     {2, false, false, testSay},
	"console": {1, false, false, testConsole},
	"set":     {2, false, false, testSet},
	"menu":    {1, false, false, testMenu},
	"choose":  {2, false, false, testChoose},
	"vote":    {1, false, false, testVote},

	"heard":  {2, false, false, testHeard},
	"screen": {1, false, false, testScreen},
	"events": {1, false, false, testEvents},
	"state":  {1, false, false, testState},

	"expect":       {1, true, false, testExpect},
	"expect_heard": {2, false, false, testExpectHeard},
	"fail":         {1, false, false, func(r *testRun, v *vm, c *rt.GoCont) error { return r.fail("%s", plain(value(c, 0))) }},
}

// notForTests are the globals of scripts that test files lack.
var notForTests = []string{"store", "after", "chat_command", "console_command", "variable", "entity_kind", "tune_zone", "mode", "menu", "vote"}

// open defines the globals of a test file.
func (r *testRun) open(v *vm) {
	for _, name := range notForTests {
		set(v.env, name, v.priced(name, cost{}, 0, true, func(*vm, *rt.GoCont) error {
			return fmt.Errorf("a test cannot use %s; use it in the mod", name)
		}))
	}
	set(v.env.Get(rt.StringValue("math")).AsTable(), "random", v.priced("random", cost{}, 0, true, func(*vm, *rt.GoCont) error {
		return errors.New("a test cannot use math.random: every run of a test is the same")
	}))
	t := rt.NewTable()
	for name, f := range testFunctions {
		set(t, name, v.priced("test."+name, cost{}, f.args, f.etc, func(v *vm, c *rt.GoCont) error {
			return r.guard(func() error {
				if f.setup && r.world != nil {
					return fmt.Errorf("call test.%s before the match begins, at the start of the test", name)
				}
				if !f.setup {
					if err := r.begin(); err != nil {
						return err
					}
				}
				return f.f(r, v, c)
			})
		}))
	}
	v.apiTable("test", t)
	set(v.env, "test", rt.TableValue(t))
}

// testMods is test.mods("a", "b"). It sets the tested scripts.
func testMods(r *testRun, v *vm, c *rt.GoCont) error {
	names := []string{}
	for i, x := range c.Etc() {
		s, ok := x.TryString()
		if !ok {
			return badArgument(i, "the name of a mod", x)
		}
		names = append(names, s)
	}
	r.modNames = names
	return nil
}

// testMode is test.mode("ctf"). It sets the game type.
func testMode(r *testRun, v *vm, c *rt.GoCont) (err error) {
	r.modeName, err = arg[string](v, c, 0)
	return err
}

// testMap is test.map{"####", "#S #", "####", tiles = {i = 9}}. It draws the map.
func testMap(r *testRun, v *vm, c *rt.GoCont) (err error) {
	t, err := v.readable(c, 0)
	if err != nil {
		return err
	}
	var rows []string
	tiles := map[byte]uint8{}
	each(t, func(k, x rt.Value) {
		switch s, isText := x.TryString(); {
		case isText && k.Type() == rt.IntType:
		case plain(k) == "tiles":
			of, ok := x.TryTable()
			if !ok {
				err = errors.New("tiles is a table such as {i = 9}")
				return
			}
			each(v.contents(of), func(k, x rt.Value) {
				n, ok := x.TryInt()
				if s := plain(k); ok && len(s) == 1 && n == int64(uint8(n)) {
					tiles[s[0]] = uint8(n)
				} else {
					err = fmt.Errorf("tiles.%s is %s, want a character and the number of its tile", s, describe(x))
				}
			})
		default:
			err = fmt.Errorf("a map is a list of rows such as \"#  S  #\", and not %s = %s%s", plain(k), describe(x), s)
		}
	})
	if err != nil {
		return err
	}
	for i := int64(1); ; i++ {
		s, ok := t.Get(rt.IntValue(i)).TryString()
		if !ok {
			break
		}
		rows = append(rows, s)
	}
	if len(rows) < 3 || len(rows[0]) < 3 {
		return errors.New("a map needs at least three rows of three tiles")
	}
	defer func() {
		if p := recover(); p != nil {
			err = errors.New(fmt.Sprint(p))
		}
	}()
	r.terrain = modtest.ParseMap(tiles, rows...)
	return nil
}

// connected converts an argument to a player in the game.
func (r *testRun) connected(c *rt.GoCont, i int) (game.PlayerID, error) {
	id, ok := playerOf(value(c, i))
	if !ok {
		return id, badArgument(i, "a player", value(c, i))
	}
	if _, here := r.world.Player(id); !here {
		return id, fmt.Errorf("argument #%d is a player who has left", i+1)
	}
	return id, nil
}

// testJoin is test.join("ada", "bob"). It returns the players once their tees stand.
func testJoin(r *testRun, v *vm, c *rt.GoCont) error {
	var names []string
	var ids []game.PlayerID
	for i, x := range c.Etc() {
		s, ok := x.TryString()
		if !ok || s == "" || len(s) > 15 {
			return badArgument(i, "a name of 1 to 15 bytes", x)
		}
		names = append(names, s)
	}
	if len(names) == 0 {
		return errors.New("test.join needs the names of players")
	}
	for id := game.PlayerID(0); id < game.MaxPlayers && len(ids) < len(names); id++ {
		if _, taken := r.world.Player(id); !taken {
			ids = append(ids, id)
		}
	}
	if len(ids) < len(names) {
		return fmt.Errorf("too many players: the limit is %d", game.MaxPlayers)
	}
	r.world.EnterAs(names, ids...)
	r.world.Run(3)
	// Some game types delay the spawn of a player, or wait for more players.
	for range joinTicks {
		runs := r.world.Game.Running() || r.world.Game.NumConnected() == 1
		if runs && !slices.ContainsFunc(ids, func(id game.PlayerID) bool { return !r.world.Alive(id) }) {
			break
		}
		r.world.Run(1)
	}
	r.world.Run(landTicks)
	for _, id := range ids {
		v.push(c, v.players[id])
	}
	return nil
}

const (
	joinTicks = 500
	landTicks = 50
)

// testLeave is test.leave(player).
func testLeave(r *testRun, _ *vm, c *rt.GoCont) error {
	id, err := r.connected(c, 0)
	if err == nil {
		r.world.Leave(id)
	}
	return err
}

func ticksArg(v *vm, c *rt.GoCont, i int) (int, error) {
	n, err := arg[int32](v, c, i)
	if err == nil && (n < 0 || n > maxTestTicks) {
		err = badArgument(i, fmt.Sprintf("0 to %d ticks", maxTestTicks), value(c, i))
	}
	return int(n), err
}

// testRunTicks is test.run(ticks).
func testRunTicks(r *testRun, v *vm, c *rt.GoCont) error {
	n, err := ticksArg(v, c, 0)
	if err != nil {
		return err
	}
	if int(r.world.Now())+n > maxTestTicks { // say so at once
		return r.fail(tooLong, maxTestTicks)
	}
	r.world.Run(n)
	return nil
}

// testRunUntil is test.run_until("what", ticks, function() return true end).
func testRunUntil(r *testRun, v *vm, c *rt.GoCont) error {
	what, err := arg[string](v, c, 0)
	if err != nil {
		return err
	}
	n, err := ticksArg(v, c, 1)
	if err != nil {
		return err
	}
	if value(c, 2).Type() != rt.FunctionType {
		return badArgument(2, "a function", value(c, 2))
	}
	for i := 0; ; i++ {
		next := rt.NewTerminationWith(c, 1, false)
		if err := rt.Call(v.thread, value(c, 2), nil, next); err != nil {
			return err
		}
		if rt.Truth(next.Get(0)) {
			return nil
		}
		if i == n {
			return r.fail("not reached after %d ticks: %s", n, what)
		}
		r.world.Run(1)
	}
}

// testInput is test.input(player, {direction = 1, jump = true}). The player holds the input until
// the next call.
func testInput(r *testRun, v *vm, c *rt.GoCont) error {
	id, err := r.connected(c, 0)
	if err != nil {
		return err
	}
	f := v.fields(c, 1, "direction", "aim", "jump", "hook", "fire", "weapon")
	in := game.Input{Direction: f.number("direction", 0), Jump: rt.Truth(f.get("jump")), Hook: rt.Truth(f.get("hook")), TargetX: 1}
	if in.Direction < -1 || in.Direction > 1 {
		f.wrong("direction", "-1, 0 or 1")
	}
	if w := word(f, "weapon", weaponNames, game.WeaponWorld); w >= 0 {
		in.WantedWeapon = int32(w) + 1
	}
	var to vec.Vec2
	if at, ok := playerOf(f.get("aim")); ok {
		to = v.tx.Player(at).Pos().Sub(v.tx.Player(id).Pos())
	} else {
		to = f.vector(v, "aim")
	}
	if f.err != nil {
		return f.err
	}
	if to != (vec.Vec2{}) {
		in.TargetX, in.TargetY = int32(to.X), int32(to.Y)
	}
	r.world.Hold(id, in)
	r.world.Press(id, rt.Truth(f.get("fire")))
	return nil
}

// testShoot is test.shoot(player, at, weapon).
func testShoot(r *testRun, v *vm, c *rt.GoCont) error {
	id, err := r.connected(c, 0)
	if err != nil {
		return err
	}
	at, err := r.connected(c, 1)
	if err != nil {
		return err
	}
	weapon, err := option(v, c, 2, game.WeaponGun)
	switch {
	case err != nil:
		return err
	case !v.tx.Player(id).Alive() || !v.tx.Player(at).Alive():
		return r.fail("test.shoot: the shooter or the target is dead")
	case weapon < 0 || !v.tx.Player(id).HasWeapon(weapon):
		return fmt.Errorf("%s has no %v", v.tx.Player(id).Name(), weapon)
	}
	r.world.Shoot(id, at, weapon)
	return nil
}

// testSay is test.say(player, text). It returns the reply of a command, one line each.
func testSay(r *testRun, v *vm, c *rt.GoCont) error {
	id, err := r.connected(c, 0)
	if err != nil {
		return err
	}
	text, err := arg[string](v, c, 1)
	if err != nil {
		return err
	}
	if !strings.HasPrefix(text, "/") {
		r.world.Run(1, game.Command{Kind: game.CmdSay, Player: id, Target: game.Nobody, Chat: game.ChatAll, Text: text})
		return nil
	}
	name, line, _ := strings.Cut(text[1:], " ")
	spec, err := findSpec(r.world.Game.ChatCommands(), "command of the chat", strings.ToLower(name))
	if err != nil {
		return err
	}
	args, err := r.cfg.Args(spec.Params, line)
	if err != nil {
		return fmt.Errorf("%s: %w; the parameters are %q", text, err, spec.Params)
	}
	var reply []string
	for _, e := range r.world.Run(1, game.ChatCommand(id, spec.Name, args...)) {
		if e.Kind == game.EvChat && e.Player == game.Nobody && e.To.Has(id) {
			reply = append(reply, e.Text)
		}
	}
	v.push(c, rt.StringValue(strings.Join(reply, "\n")))
	return nil
}

func findSpec(list []game.CommandSpec, what, name string) (game.CommandSpec, error) {
	var names []string
	for _, s := range list {
		if s.Name == name {
			return s, nil
		}
		if s.Name != testChange {
			names = append(names, s.Name)
		}
	}
	return game.CommandSpec{}, fmt.Errorf("there is no %s %s%s", what, name, suggest(name, names))
}

// testConsole is test.console(line), a command of an operator. It returns the output, one line
// each.
func testConsole(r *testRun, v *vm, c *rt.GoCont) error {
	text, err := arg[string](v, c, 0)
	if err != nil {
		return err
	}
	name, line, _ := strings.Cut(text, " ")
	if r.isVariable(name) {
		return r.set(name, strings.Trim(line, ` "`))
	}
	spec, err := findSpec(r.world.Game.ConsoleCommands(), "command of a mod", name)
	if err != nil {
		return err
	}
	args, err := r.cfg.Args(spec.Params, line)
	if err != nil {
		return fmt.Errorf("%s: %w; the parameters are %q", text, err, spec.Params)
	}
	var out []string
	for _, e := range r.world.Run(1, game.ConsoleCommand(game.Nobody, spec.Name, args...)) {
		if e.Kind == game.EvConsole && e.Value == 1 { // output of the first command of the tick
			out = append(out, e.Text)
		}
	}
	v.push(c, rt.StringValue(strings.Join(out, "\n")))
	return nil
}

func (r *testRun) isVariable(name string) bool {
	_, ok := r.world.Game.VariableInForce(name)
	return ok
}

// testSet is test.set(name, value) for a variable of a mod or a limit of the match.
func testSet(r *testRun, v *vm, c *rt.GoCont) error {
	name, err := arg[string](v, c, 0)
	if err != nil {
		return err
	}
	x, err := arg[string](v, c, 1)
	if err != nil {
		return err
	}
	return r.set(name, x)
}

func (r *testRun) set(name, value string) error {
	if r.isVariable(name) {
		r.world.Run(1, game.SetVariable(name, value))
		return nil
	}
	rules := r.world.Game.Rules()
	numbers := map[string]*int32{"sv_scorelimit": &rules.ScoreLimit, "sv_timelimit": &rules.TimeLimit}
	if n, ok := numbers[name]; ok {
		x, err := strconv.ParseInt(value, 10, 16)
		if err != nil || x < 0 {
			return fmt.Errorf("%s is %q, want a number", name, value)
		}
		*n = int32(x)
		r.world.Run(1, game.Command{Kind: game.CmdSetRules, Player: game.Nobody, Target: game.Nobody, Rules: &rules})
		return nil
	}
	names := []string{"sv_scorelimit", "sv_timelimit"}
	for _, x := range r.world.Game.Variables() {
		names = append(names, x.Name)
	}
	return fmt.Errorf("unknown variable %s%s", name, suggest(name, names))
}

// testMenu is test.menu(player), the lines of the player's menu.
func testMenu(r *testRun, v *vm, c *rt.GoCont) error {
	id, err := r.connected(c, 0)
	if err != nil {
		return err
	}
	lines, _ := r.world.Game.MenuLines(id)
	v.push(c, textList(lines))
	return nil
}

func textList(lines []string) rt.Value {
	t := rt.NewTable()
	for i, s := range lines {
		t.Set(rt.IntValue(int64(i+1)), rt.StringValue(s))
	}
	return rt.TableValue(t)
}

// testChoose is test.choose(player, line) for a line of the menu.
func testChoose(r *testRun, v *vm, c *rt.GoCont) error {
	id, err := r.connected(c, 0)
	if err != nil {
		return err
	}
	line, err := arg[string](v, c, 1)
	if err != nil {
		return err
	}
	lines, _ := r.world.Game.MenuLines(id)
	if !slices.Contains(lines, line) {
		return r.fail("%s has no menu line %q; the menu is %q", v.tx.Player(id).Name(), line, lines)
	}
	r.world.Run(1, game.ChooseLine(id, line))
	return nil
}

// testVote is test.vote(passed). It ends the vote of a mod.
func testVote(r *testRun, _ *vm, c *rt.GoCont) error {
	vote, ok := r.world.Game.ModVote()
	if !ok {
		return r.fail("no vote of a mod is running")
	}
	r.world.Run(1, game.EndVote(vote, rt.Truth(value(c, 0))))
	return nil
}

// heard returns the texts that a player got, in order.
func (r *testRun) heard(id game.PlayerID) (lines []string) {
	for i := range r.events {
		switch e := &r.events[i]; e.Kind {
		case game.EvChat, game.EvBroadcast, game.EvMotd:
			if e.To.Has(id) && e.Text != "" {
				lines = append(lines, e.Text)
			}
		}
	}
	return lines
}

// testHeard is test.heard(player), a list of texts, or test.heard(player, part), which reports
// whether one of them contains part.
func testHeard(r *testRun, v *vm, c *rt.GoCont) error {
	id, err := r.connected(c, 0)
	if err != nil {
		return err
	}
	lines := r.heard(id)
	if value(c, 1).IsNil() {
		v.push(c, textList(lines))
		return nil
	}
	part, err := arg[string](v, c, 1)
	v.push(c, rt.BoolValue(contains(lines, part)))
	return err
}

func contains(lines []string, part string) bool {
	return slices.ContainsFunc(lines, func(s string) bool { return strings.Contains(s, part) })
}

// testExpectHeard is test.expect_heard(player, part).
func testExpectHeard(r *testRun, v *vm, c *rt.GoCont) error {
	id, err := r.connected(c, 0)
	if err != nil {
		return err
	}
	part, err := arg[string](v, c, 1)
	if err != nil {
		return err
	}
	if lines := r.heard(id); !contains(lines, part) {
		return r.fail("%s did not get the text %q, only %q", v.tx.Player(id).Name(), part, lines[max(0, len(lines)-10):])
	}
	return nil
}

// testScreen is test.screen(player), the text set by p:screen_text.
func testScreen(r *testRun, v *vm, c *rt.GoCont) error {
	id, err := r.connected(c, 0)
	if err == nil {
		v.push(c, rt.StringValue(r.world.Game.ScreenText(id)))
	}
	return err
}

// eventNames are the names of the events that tests can read.
var eventNames = map[game.EventKind]string{
	game.EvPlayerEntered: "enter", game.EvPlayerLeft: "leave", game.EvTeamChange: "team", game.EvChat: "chat",
	game.EvKill: "kill", game.EvPickup: "pickup", game.EvEmoticon: "emoticon", game.EvGameMsg: "message",
	game.EvBroadcast: "broadcast", game.EvMotd: "motd", game.EvRoundStart: "round_start", game.EvMatchEnd: "match_end",
	game.EvRaceFinish: "finish", game.EvConsole: "console", game.EvKillFeed: "kill_feed", game.EvExplosion: "explosion",
	game.EvSpawn: "spawn", game.EvHammerHit: "hammer_hit", game.EvDeath: "death", game.EvSound: "sound", game.EvDamage: "damage",
}

// testEvents is test.events("kill"), a list of the events of a kind.
func testEvents(r *testRun, v *vm, c *rt.GoCont) error {
	kind, err := arg[string](v, c, 0)
	if err != nil {
		return err
	}
	var names []string
	for _, s := range eventNames {
		names = append(names, s)
	}
	if !slices.Contains(names, kind) {
		return fmt.Errorf("there is no event %s%s", kind, suggest(kind, names))
	}
	list := rt.NewTable()
	n := int64(0)
	for i := range r.events {
		e := &r.events[i]
		if eventNames[e.Kind] != kind {
			continue
		}
		t := rt.NewTable()
		set(t, "player", v.player(e.Player))
		set(t, "target", v.player(e.Target))
		set(t, "weapon", weaponNames.words[e.Weapon])
		set(t, "value", rt.IntValue(int64(e.Value)))
		set(t, "text", rt.StringValue(e.Text))
		set(t, "pos", toValue(v, e.Pos))
		if e.Kind == game.EvSound {
			set(t, "sound", soundNames.words[e.Sound])
		}
		n++
		list.Set(rt.IntValue(n), rt.TableValue(t))
	}
	v.push(c, rt.TableValue(list))
	return nil
}

// testState is test.state(mod), a copy of a script's state. Without a name it is the first script.
func testState(r *testRun, v *vm, c *rt.GoCont) error {
	name, err := option(v, c, 0, "")
	if err != nil {
		return err
	}
	var names []string
	for _, m := range r.mods {
		names = append(names, m.vm.space())
		if name != "" && m.vm.space() != name {
			continue
		}
		b, err := m.vm.appendTable(nil, m.vm.state, "state", 0)
		if err != nil {
			return err
		}
		t := rt.NewTable()
		d := decoder{b: b}
		d.table(v, t, 0)
		v.push(c, rt.TableValue(t))
		return d.err
	}
	return fmt.Errorf("there is no mod %s%s", name, suggest(name, names))
}

// testExpect is test.expect(actual, wanted, message), or test.expect(truth).
func testExpect(r *testRun, v *vm, c *rt.GoCont) error {
	actual, rest := value(c, 0), c.Etc()
	message := ""
	if len(rest) > 1 {
		message = plain(rest[1]) + ": "
	}
	if len(rest) == 0 {
		if rt.Truth(actual) {
			return nil
		}
		return r.fail("got %s, want a true value", v.shown(actual, 0))
	}
	if v.same(actual, rest[0], 0) {
		return nil
	}
	return r.fail("%sgot %s, want %s", message, v.shown(actual, 0), v.shown(rest[0], 0))
}

// same reports whether two values are equal. It compares tables by content.
func (v *vm) same(a, b rt.Value, depth int) bool {
	s, ok1 := a.TryTable()
	t, ok2 := b.TryTable()
	if !ok1 || !ok2 || depth > maxStateDepth {
		eq, _ := rt.RawEqual(a, b)
		return eq
	}
	s, t = v.contents(s), v.contents(t)
	same := true
	n := 0
	each(s, func(k, x rt.Value) {
		n++
		same = same && v.same(x, t.Get(k), depth+1)
	})
	each(t, func(rt.Value, rt.Value) { n-- })
	return same && n == 0
}

// shown formats a value for a failure.
func (v *vm) shown(x rt.Value, depth int) string {
	if id, ok := playerOf(x); ok && v.tx != nil && v.tx.Player(id).Connected() {
		return fmt.Sprintf("%s (%s)", plain(x), v.tx.Player(id).Name())
	}
	if s, ok := x.TryString(); ok {
		return strconv.Quote(s)
	}
	t, ok := x.TryTable()
	if !ok {
		return plain(x)
	}
	if depth > 3 {
		return "{...}"
	}
	t = v.contents(t)
	keys, err := v.sortedKeys(t)
	if err != nil {
		return "a table"
	}
	var parts []string
	for i, k := range slices.Clone(keys) {
		if len(parts) == 30 {
			parts = append(parts, "...")
			break
		}
		s := v.shown(t.Get(k), depth+1)
		if n, isInt := k.TryInt(); !isInt || n != int64(i+1) {
			s = plain(k) + " = " + s
		}
		parts = append(parts, s)
	}
	return "{" + strings.Join(parts, ", ") + "}"
}
