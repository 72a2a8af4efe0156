// Package ranks implements the chat commands of races, such as /rank and /top5, with DDNet's texts.
// A mode calls [Declare] when it starts, and [Answer] with each answer of the storage.
package ranks

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/teeyard/teeyard/game"
)

// Declare declares the commands, and the variable bots (sv_rank_bots) for [Counts]. While hide
// (sv_hide_score) is not 0, players see only their own results.
func Declare(setup *game.Setup, bots, hide *int32) {
	setup.IntVar(game.IntVar{Name: "sv_rank_bots", Help: "Finishes of bots are kept in the ranks and can be the best time", Value: bots, Max: 1})
	hidden := func(ctx *game.Ctx, c *game.CommandCall, what string) bool {
		if *hide != 0 {
			ctx.Player(c.Player).Say("Showing the " + what + " is not allowed on this server.")
		}
		return *hide != 0
	}
	// ofName asks about the name in the argument, or the player's own.
	ofName := func(op game.RankOp, what string) func(*game.Ctx, *game.CommandCall) {
		return func(ctx *game.Ctx, c *game.CommandCall) {
			name := c.Arg(0)
			if len(c.Args) > 0 && hidden(ctx, c, what+" of other players") {
				return
			}
			if name == "" {
				name = ctx.Player(c.Player).Name()
			}
			ctx.Rank(game.RankRequest{Op: op, By: c.Player, Name: name})
		}
	}
	from := func(op game.RankOp, what string) func(*game.Ctx, *game.CommandCall) {
		return func(ctx *game.Ctx, c *game.CommandCall) {
			if hidden(ctx, c, what) {
				return
			}
			n := int32(1)
			if len(c.Args) > 0 {
				n = c.Int(0)
			}
			ctx.Rank(game.RankRequest{Op: op, By: c.Player, From: n})
		}
	}
	// list asks for rows from a place. If the first argument is not a number, it is a player's
	// name.
	list := func(op game.RankOp, command string) func(*game.Ctx, *game.CommandCall) {
		return func(ctx *game.Ctx, c *game.CommandCall) {
			p := ctx.Player(c.Player)
			if op == game.RankTeamTop && hidden(ctx, c, "team top 5") {
				return
			}
			r := game.RankRequest{Op: op, By: c.Player, From: 1}
			switch {
			case len(c.Args) == 1 && number(c.Arg(0)) != 0:
				r.From = number(c.Arg(0))
			case len(c.Args) == 1:
				r.Name, r.From = c.Arg(0), 0
			case len(c.Args) == 2 && number(c.Arg(1)) != 0:
				r.Name, r.From = c.Arg(0), number(c.Arg(1))
			case len(c.Args) > 0:
				p.Say(fmt.Sprintf("/%s needs 0, 1 or 2 parameter. 1. = name, 2. = start number", command))
				p.Say(fmt.Sprintf(`Example: /%[1]s, /%[1]s me, /%[1]s Hans, /%[1]s "Papa Smurf" 5`, command))
				p.Say(fmt.Sprintf(`Bad: /%[1]s Papa Smurf 5 # Good: /%[1]s "Papa Smurf" 5 `, command))
				return
			}
			if r.Name == "me" {
				r.Name = p.Name()
			}
			ctx.Rank(r)
		}
	}
	for _, c := range []game.CommandSpec{
		{Name: "rank", Private: true, Params: "?r[player name]", Help: "Shows the rank of a player, by default your own", Run: ofName(game.RankOf, "rank")},
		{Name: "top", Params: "?i[rank to start with]", Help: "Shows five ranks of the map and of this server", Run: from(game.RankTop, "top")},
		{Name: "top5", Params: "?i[rank to start with]", Help: "Shows five ranks of the map and of this server", Run: from(game.RankTop, "top")},
		{Name: "times", Private: true, Params: "?s[player name] ?s[start]", Help: "Shows the last five times on the map, or a player's",
			Run: list(game.RankTimes, "times")},
		{Name: "points", Private: true, Params: "?r[player name]", Help: "Shows the points of a player, by default your own",
			Run: ofName(game.RankPoints, "global points")},
		{Name: "top5points", Params: "?i[number]", Help: "Shows who has most points", Run: from(game.RankTopPoints, "global top points")},
		{Name: "teamrank", Private: true, Params: "?r[player name]", Help: "Shows the best team rank of a player", Run: ofName(game.RankTeamOf, "team rank")},
		{Name: "rankteam", Private: true, Params: "?r[player name]", Help: "Shows the best team rank of a player", Run: ofName(game.RankTeamOf, "team rank")},
		{Name: "top5team", Private: true, Params: "?s[player name] ?s[start]", Help: "Shows five team ranks of the map, or of a player",
			Run: list(game.RankTeamTop, "top5team")},
		{Name: "teamtop5", Private: true, Params: "?s[player name] ?s[start]", Help: "Shows five team ranks of the map, or of a player",
			Run: list(game.RankTeamTop, "teamtop5")},
		{Name: "mapinfo", Private: true, Params: "?r[map]", Help: "Shows details of a map, by default this one", Run: func(ctx *game.Ctx, c *game.CommandCall) {
			ctx.Rank(game.RankRequest{Op: game.RankMapInfo, By: c.Player, Name: c.Arg(0)})
		}},
	} {
		setup.ChatCommand(c)
	}
}

// Counts reports whether the finishes of a player count for the ranks and for the best time of all.
func Counts(tx *game.Tx, id game.PlayerID, bots int32) bool {
	return bots != 0 || !tx.Player(id).IsBot()
}

// number returns the number at the start of a text, 0 if there is none.
func number(text string) int32 {
	end := 0
	for end < len(text) && (text[end] >= '0' && text[end] <= '9' || end == 0 && (text[0] == '-' || text[0] == '+')) {
		end++
	}
	n, _ := strconv.ParseInt(text[:end], 10, 32)
	return int32(n)
}

// Answer shows players the answers to their commands, and finishers their points. hide is the
// variable of [Declare].
func Answer(ctx *game.Ctx, stored *game.StoreAnswer, hide bool) {
	a := stored.Rank
	if a == nil || a.Err != "" || a.By < 0 || !ctx.Player(a.By).Connected() || ctx.Player(a.By).Name() != a.Asker {
		return
	}
	lines, toAll := Lines(a, hide)
	for _, line := range lines {
		if toAll {
			ctx.Say(line)
		} else {
			ctx.Player(a.By).Say(line)
		}
	}
}

// Lines returns an answer as chat lines of DDNet's server. toAll reports whether all players see
// them. hide is the value of the variable of [Declare].
func Lines(a *game.RankAnswer, hide bool) (lines []string, toAll bool) {
	say := func(format string, args ...any) { lines = append(lines, fmt.Sprintf(format, args...)) }
	switch a.Op {
	case game.RankFinish:
		if a.Points != 0 {
			say("You earned %d %s for finishing this map!", a.Points, plural(a.Points, "point"))
		}
	case game.RankOf:
		if a.Own == nil {
			say("%s is not ranked", a.Name)
			return lines, false
		}
		if hide {
			say("Your time: %s, better than %d%%", Time(a.Own.Time), a.Percent)
			return lines, false
		}
		by := ""
		if !equalFold(a.Asker, a.Name) {
			by = " - requested by " + a.Asker
		}
		say("%s - %s - better than %d%%%s", a.Name, Time(a.Own.Time), a.Percent, by)
		local := "unranked"
		if len(a.Local) > 0 {
			local = fmt.Sprint("rank ", a.Local[0].Rank)
		}
		say("Global rank %d - %s %s", a.Own.Rank, a.Server, local)
		return lines, true
	case game.RankTop:
		say("------------ Global Top ------------")
		top := func(rows []game.RankRow) {
			for i := range rows {
				say("%d. %s Time: %s", rows[i].Rank, names(&rows[i]), Time(rows[i].Time))
			}
		}
		top(a.Rows)
		say("------------ %s Top ------------", a.Server)
		top(a.Local)
	case game.RankTeamOf:
		if a.Own == nil {
			say("%s has no team ranks", a.Name)
			return lines, false
		}
		if hide {
			say("Your team time: %s, better than %d%%", Time(a.Own.Time), a.Percent)
			return lines, false
		}
		say("%d. %s Team time: %s, better than %d%%, requested by %s", a.Own.Rank, names(a.Own), Time(a.Own.Time), a.Percent, a.Asker)
		return lines, true
	case game.RankTeamTop:
		if a.Name != "" && len(a.Rows) == 0 {
			if a.From == 0 {
				say("%s has no team ranks", a.Name)
			} else {
				say("%s has no team ranks in the specified range", a.Name)
			}
			return lines, false
		}
		say("------- Team Top 5 -------")
		for i := range a.Rows {
			say("%d. %s Team Time: %s", a.Rows[i].Rank, names(&a.Rows[i]), Time(a.Rows[i].Time))
		}
		say("-------------------------------")
	case game.RankTimes:
		times(a, say)
	case game.RankPoints:
		if a.Own == nil {
			say("%s has not collected any points so far", a.Name)
			return lines, false
		}
		say("%d. %s Points: %d, requested by %s", a.Own.Rank, a.Name, a.Own.Points, a.Asker)
		return lines, true
	case game.RankTopPoints:
		say("-------- Top Points --------")
		for i := range a.Rows {
			say("%d. %s Points: %d", a.Rows[i].Rank, names(&a.Rows[i]), a.Rows[i].Points)
		}
		say("-------------------------------")
	case game.RankMapInfo:
		mapInfo(a, say)
	case game.RankSaves:
		last := ""
		if a.Save != nil && a.Save.Age >= 0 {
			last = ", last saved " + ago(a.Save.Age) + " ago"
		}
		say("%s has %d %s on %s%s", a.Name, a.Count, plural(a.Count, "save"), a.Map, last)
	}
	return lines, false
}

// equalFold reports whether names differ in the case of the letters A to Z at most.
func equalFold(a, b string) bool {
	lower := func(c rune) rune {
		if c >= 'A' && c <= 'Z' {
			c += 'a' - 'A'
		}
		return c
	}
	return strings.Map(lower, a) == strings.Map(lower, b)
}

func times(a *game.RankAnswer, say func(string, ...any)) {
	if len(a.Rows) == 0 {
		say("There are no times in the specified range")
		return
	}
	say("------------- Last Times -------------")
	for i := range a.Rows {
		r := &a.Rows[i]
		server := ""
		if r.Server != "UNK" {
			server = "[" + r.Server + "] "
		}
		switch {
		case a.Name != "" && r.Age < 0:
			say("%s%s, don't know how long ago", server, Time(r.Time))
		case a.Name != "":
			say("%s%s ago, %s", server, ago(r.Age), Time(r.Time))
		case r.Age < 0:
			say("%s%s, %s, don't know when", server, names(r), Time(r.Time))
		default:
			say("%s%s, %s ago, %s", server, names(r), ago(r.Age), Time(r.Time))
		}
	}
	say("----------------------------------------------------")
}

func mapInfo(a *game.RankAnswer, say func(string, ...any)) {
	m := a.Info
	if m == nil {
		name := a.Name
		if name == "" {
			name = a.Map
		}
		say("No map like \"%s\" found.", name)
		return
	}
	stars := ""
	if m.Stars >= 0 && m.Stars <= 5 {
		stars = strings.Repeat("★", int(m.Stars)) + strings.Repeat("✰", 5-int(m.Stars))
	}
	released, median, own := "", "", ""
	if m.Age >= 0 {
		released = ", released " + ago(m.Age) + " ago"
	}
	if s := int64(m.Median) / 1000; s > 0 {
		median = " in " + seconds(s) + " median"
	}
	if m.Own > 0 {
		own = ", your time: " + Time(m.Own)
	}
	say("\"%s\" by %s on %s, %s, %d %s%s, %d %s by %d %s%s%s", m.Name, m.Mapper, m.Server, stars, m.Points, plural(m.Points, "point"), released,
		m.Finishes, finishes(m.Finishes), m.Finishers, plural(m.Finishers, "tee"), median, own)
}

func finishes(n int32) string {
	if n == 1 {
		return "finish"
	}
	return "finishes"
}

func plural(n int32, word string) string {
	if n == 1 {
		return word
	}
	return word + "s"
}

// names returns the names of a row, as a list if there are several.
func names(r *game.RankRow) string {
	if n := len(r.Names); n > 1 {
		return strings.Join(r.Names[:n-1], ", ") + " & " + r.Names[n-1]
	}
	return strings.Join(r.Names, "")
}

// Time returns a time in milliseconds as mm:ss.cc or hh:mm:ss.cc.
func Time(ms int32) string {
	c := (int64(ms) + 5) / 10
	return fmt.Sprintf("%s.%02d", seconds(c/100), c%100)
}

// seconds returns a time as mm:ss or hh:mm:ss.
func seconds(s int64) string {
	if s >= 3600 {
		return fmt.Sprintf("%02d:%02d:%02d", s/3600, s/60%60, s%60)
	}
	return fmt.Sprintf("%02d:%02d", s/60, s%60)
}

// ago returns how long ago something was, in the two largest units that follow each other.
func ago(s int64) string {
	if s <= 0 {
		return "moments"
	}
	units := []struct {
		seconds int64
		name    string
	}{{60 * 60 * 24 * 365, "year"}, {60 * 60 * 24 * 30, "month"}, {60 * 60 * 24 * 7, "week"}, {60 * 60 * 24, "day"}, {60 * 60, "hour"}, {60, "min"}, {1, "sec"}}
	i := 0
	for s < units[i].seconds {
		i++
	}
	count := func(u int) string {
		return fmt.Sprintf("%d %s", s/units[u].seconds, plural(int32(min(s/units[u].seconds, 2)), units[u].name))
	}
	text := count(i)
	s %= units[i].seconds
	if i+1 < len(units) && s >= units[i+1].seconds {
		text += " and " + count(i+1)
	}
	return text
}
