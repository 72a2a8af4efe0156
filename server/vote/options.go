package vote

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/server/console"
)

const (
	// MaxOptions is the number of options.
	MaxOptions = 8192

	maxText    = 63  // bytes of an option's text
	maxCommand = 511 // bytes of an option's command

	// A client gets the first options at once and the others bit by bit, because operators have up
	// to a thousand.
	firstOptions   = 128
	optionsPerTick = 15
)

// Option is an option of votes: the Text in the players' menu, and the console line that it runs.
type Option struct{ Text, Command string }

// options is the list of options.
type options struct {
	list []Option
	keys map[uint32]int // the number of options with a key
	// waiting reports whether commands about options wait for the world.
	waiting bool
}

func newOptions() options { return options{keys: map[uint32]int{}} }

// find returns the index of the option with a text, in any case, or -1.
func (o *options) find(text string) int {
	if o.keys[key(text)] == 0 {
		return -1
	}
	return slices.IndexFunc(o.list, func(o Option) bool { return strings.EqualFold(o.Text, text) })
}

func (o *options) add(text, command string) {
	o.list = append(o.list, Option{text, command})
	o.keys[key(text)]++
}

func (o *options) remove(i int) {
	o.keys[key(o.list[i].Text)]--
	o.list = append(o.list[:i:i], o.list[i+1:]...)
}

// key returns a number that is the same for texts that differ in case only.
func key(text string) uint32 {
	h := uint32(2166136261) // FNV
	for _, r := range text {
		h = (h ^ uint32(fold(r))) * 16777619
	}
	return h
}

// fold returns the first of the characters that strings.EqualFold takes for r.
func fold(r rune) rune {
	first := r
	for f := unicode.SimpleFold(r); f != r; f = unicode.SimpleFold(f) {
		first = min(first, f)
	}
	return first
}

// Options returns the options. The result is valid until the list changes.
func (v *Votes) Options() []Option { return v.options.list }

// HasOption reports whether there is an option with a text, in any case.
func (v *Votes) HasOption(text string) bool { return v.options.find(text) >= 0 }

// Maps returns the maps that players can vote for, without duplicates.
func (v *Votes) Maps() (names []string) {
	for _, o := range v.options.list {
		if name, ok := mapOf(o.Command); ok && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// Offer sends a client its menu: the lines of a mod, and then the first options.
func (v *Votes) Offer(id game.PlayerID, lines []string) {
	c, ok := v.client(id)
	if !ok {
		return
	}
	c.Menu.SendVoteOptionsCleared()
	if len(lines) > 0 {
		c.Menu.SendVoteOptions(lines)
	}
	c.offered, c.shown = true, 0
	v.sendOptions(&c, firstOptions)
}

// HasMore reports whether a client lacks options.
func (v *Votes) HasMore(id game.PlayerID) bool { return v.seats[id].shown < len(v.options.list) }

// OfferMore sends a client some more options.
func (v *Votes) OfferMore(id game.PlayerID) {
	if c, ok := v.client(id); ok {
		v.sendOptions(&c, optionsPerTick)
	}
}

func (v *Votes) sendOptions(c *client, most int) {
	next := v.options.list[c.shown:]
	next = next[:min(len(next), most)]
	texts := make([]string, len(next))
	for i := range next {
		texts[i] = next[i].Text
	}
	c.Menu.SendVoteOptions(texts)
	c.shown += len(next)
}

// MapOption returns the option for a map, as DDNet's chat command /map chooses it. The name of the
// map must begin like wanted and contain its characters in that order; a % stands for anything. An
// exact name is best, then a name that begins with wanted, then the shortest name. It returns an
// answer if no option fits.
func (v *Votes) MapOption(wanted string) (option, answer string) {
	switch {
	case v.MapVote == 0:
		return "", "/map is disabled"
	case wanted == "":
		return "", "Example: /map adr3 to call vote for Adrenaline 3. " +
			"This means that the map name must start with 'a' and contain the characters 'd', 'r' and '3' in that order"
	}
	type match struct{ name, option string }
	var found []match
	for _, o := range v.options.list {
		if name, ok := mapOf(o.Command); ok && matches(name, wanted) {
			found = append(found, match{name, o.Text})
		}
	}
	if len(found) == 0 {
		return "", fmt.Sprintf("No map like \"%s\" found. Try adding a '%%' at the start if you don't know the first character. "+
			"Example: /map %%castle for \"Out of Castle\"", wanted)
	}
	exact := func(m match) int { return number(strings.EqualFold(m.name, wanted)) }
	prefix := func(m match) int {
		return number(strings.HasPrefix(strings.ToLower(m.name), strings.ToLower(wanted)))
	}
	best := slices.MinFunc(found, func(a, b match) int {
		return cmp.Or(exact(b)-exact(a), prefix(b)-prefix(a), cmp.Compare(len(a.name), len(b.name)), cmp.Compare(a.name, b.name))
	})
	return best.option, ""
}

// mapOf returns the map that the command of an option changes to, if it does.
func mapOf(command string) (name string, ok bool) {
	for part := range strings.SplitSeq(command, ";") {
		verb, arg, _ := strings.Cut(strings.TrimSpace(part), " ")
		if verb == "change_map" || verb == "sv_map" {
			return strings.Trim(strings.TrimSpace(arg), `"`), true
		}
	}
	return "", false
}

// changesMap reports whether a command is about the map, as DDNet-Server sees it.
func changesMap(command string) bool {
	for _, part := range []string{"sv_map ", "change_map ", "random_map", "random_unfinished_map"} {
		if strings.Contains(command, part) {
			return true
		}
	}
	return false
}

// matches reports whether a name begins like a pattern and contains its characters in that order,
// in any case. A % stands for anything.
func matches(name, pattern string) bool {
	rest, first := strings.ToLower(name), true
	for _, r := range strings.ToLower(pattern) {
		if r == '%' {
			first = false
			continue
		}
		i := strings.IndexRune(rest, r)
		if i < 0 || first && i > 0 {
			return false
		}
		rest, first = rest[i+len(string(r)):], false
	}
	return true
}

func (v *Votes) cmdAddVote(call *console.Call) {
	text, command := strings.TrimLeft(call.Arg(0), " "), call.Arg(1)
	if text == "" {
		text = call.Arg(0) // spaces are the empty lines of DDNet's menus
	}
	if v.waitForMods(call, command) {
		return
	}
	switch {
	case len(v.options.list) >= MaxOptions:
		call.Warn("server", "maximum number of vote options reached")
	case len(command) > maxCommand:
		call.Warn("server", "skipped invalid command '%s': it has %d bytes; at most %d are allowed", v.console.Redact(command), len(command), maxCommand)
	case v.console.Check(command, console.Operator) != nil:
		call.Warn("server", "skipped invalid command '%s'", v.console.Redact(command))
	case len(text) > maxText:
		call.Warn("server", "skipped invalid option '%s': it has %d bytes; at most %d are allowed", text, len(text), maxText)
	case text == "":
		call.Warn("server", "skipped invalid option '%s'", text)
	case v.HasOption(text):
		if !call.Console.Reloading() {
			call.Warn("server", "option '%s' already exists", text)
			return
		}
		v.options.list[v.options.find(text)].Command = command
	default:
		v.addOption(call, text, command)
	}
}

func (v *Votes) addOption(call *console.Call, text, command string) {
	v.options.add(text, command)
	if !v.host.Quiet() {
		call.Print("server", "added option '%s' '%s'", text, v.console.Redact(command))
	}
	if name, ok := mapOf(command); ok && name != "" && v.world == nil && !v.host.HasMap(name) {
		call.Warn("server", "option '%s': map '%s' is missing, and the vote will fail: copy it to maps/%s.map in the server's folder", text, name, name)
	}
	v.clients(func(c *client) {
		if c.InGame && c.Unacked < firstOptions && c.shown == len(v.options.list)-1 {
			c.Menu.SendVoteOption(text)
			c.shown++
		}
	})
}

// WaitForMods reports whether a command about options has to wait for the world, and makes it wait.
func (v *Votes) WaitForMods(call *console.Call) bool { return v.waitForMods(call, "") }

// waitForMods makes a command about options wait for the world if the option's command may be of a
// mod. All later commands about options wait, too.
func (v *Votes) waitForMods(call *console.Call, command string) bool {
	if v.world != nil || !v.options.waiting && (command == "" || v.console.Check(command, console.Operator) == nil) {
		return false
	}
	v.options.waiting = true
	call.Console.Wait(call)
	return true
}

func (v *Votes) cmdRemoveVote(call *console.Call) {
	if v.WaitForMods(call) {
		return
	}
	i := v.options.find(call.Arg(0))
	if i < 0 {
		call.Warn("server", "option '%s' does not exist", call.Arg(0))
		return
	}
	o := v.options.list[i]
	v.clients(func(c *client) {
		if c.offered && i < c.shown {
			c.Menu.SendVoteOptionRemoved(o.Text)
			c.shown--
		}
	})
	v.options.remove(i)
	v.audience.OptionsRemoved()
	call.Print("server", "removed option '%s' '%s'", o.Text, o.Command)
}

func (v *Votes) cmdClearVotes(call *console.Call) {
	if v.WaitForMods(call) {
		return
	}
	if !v.host.Quiet() {
		call.Print("server", "cleared votes")
	}
	v.options.list = nil
	clear(v.options.keys)
	v.clients(func(c *client) {
		if c.offered {
			c.Menu.SendVoteOptionsCleared()
			c.shown = 0
		}
	})
	v.audience.OptionsRemoved()
}
