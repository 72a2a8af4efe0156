package modtest

import (
	"fmt"

	"github.com/teeyard/teeyard/bot"
	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/game/internal/bots"
)

// crowd plays for all players: each tick it returns their commands. Those with even ids play at
// random, the others fight, so that there are kills.
type crowd struct {
	bots.Bots
	players  int
	fighters [game.MaxPlayers]*bot.Bot // nil for those who play at random
	cmds     []game.Command
}

func newCrowd(seed uint64, players int, nav *bot.NavGraph) (c *crowd, err error) {
	c = &crowd{Bots: bots.Bots{Rand: bots.Rand(seed + 1)}, players: min(max(players, 1), game.MaxPlayers)}
	for id := 1; id < c.players; id += 2 {
		if c.fighters[id], err = bot.New(bot.Config{Nav: nav, Skill: bot.MaxSkill, Seed: seed + uint64(id)}); err != nil {
			return nil, err
		}
	}
	return c, nil
}

func (c *crowd) intn(n int) int { return c.Rand.Intn(n) }

// commands returns the commands for the next tick of a world. It reuses the slice.
func (c *crowd) commands(w *game.World) []game.Command {
	c.cmds = append(c.cmds[:0], c.Bots.Commands(c.players)...)
	c.fight(w)
	c.cmds = w.AppendNPCCommands(c.cmds)
	id := game.PlayerID(c.intn(c.players))
	if _, here := w.Player(id); !here {
		if c.intn(10) == 0 {
			c.cmds = append(c.cmds, bots.Join(id)...)
		}
		return c.cmds
	}
	if c.intn(10) == 0 {
		c.cmds = append(c.cmds, c.command(w, id))
	}
	return c.cmds
}

// fight replaces the inputs of the fighters.
func (c *crowd) fight(w *game.World) {
	var inputs [game.MaxPlayers]game.Input
	for id, fighter := range c.fighters {
		if fighter == nil {
			continue
		}
		if _, here := w.Player(game.PlayerID(id)); here {
			v := w.View(game.PlayerID(id))
			inputs[id] = fighter.NextInput(&v)
		}
	}
	for i := range c.cmds {
		if id := c.cmds[i].Player; c.fighters[id] != nil {
			c.cmds[i].Input = inputs[id]
		}
	}
}

var lines = []string{"hello", "", "/nothing", "gg \"quoted\" text", "äöü 漢字"}

// command returns a random command of a player or an operator.
func (c *crowd) command(w *game.World, id game.PlayerID) game.Command {
	cmd := game.Command{Player: id, Target: game.PlayerID(c.intn(c.players))}
	switch c.intn(20) {
	case 0, 1, 2, 3:
		if list := w.ChatCommands(); len(list) > 0 {
			spec := &list[c.intn(len(list))]
			return game.ChatCommand(id, spec.Name, c.args(spec.Params)...)
		}
	case 4, 5:
		if list := w.ConsoleCommands(); len(list) > 0 {
			spec := &list[c.intn(len(list))]
			return game.ConsoleCommand(id-game.PlayerID(c.intn(2)), spec.Name, c.args(spec.Params)...)
		}
	case 6, 7:
		if list := w.Variables(); len(list) > 0 {
			v := &list[c.intn(len(list))]
			return game.SetVariable(v.Name, c.value(v))
		}
	case 8, 9, 10:
		if menu, _ := w.MenuLines(id); len(menu) > 0 {
			return game.ChooseLine(id, menu[c.intn(len(menu))])
		}
	case 11:
		if v, ok := w.ModVote(); ok {
			return game.EndVote(v, c.intn(2) == 0)
		}
	case 12:
		cmd.Kind, cmd.Team = game.CmdSetTeam, game.Team(c.intn(3)-1)
		return cmd
	case 13:
		cmd.Kind = game.CmdKill
		return cmd
	case 14:
		cmd.Kind, cmd.Value = game.CmdEmoticon, int32(c.intn(16))
		return cmd
	case 15:
		cmd.Kind, cmd.Text = game.CmdLeave, "modtest"
		return cmd
	case 16:
		cmd.Kind, cmd.Spectate = game.CmdSpectate, game.SpectateMode(c.intn(4))
		return cmd
	case 17:
		if c.intn(20) > 0 {
			break
		}
		cmd.Kind, cmd.Player, cmd.Value = game.CmdPause, game.Nobody, 1
		return cmd
	case 18:
		if c.intn(20) > 0 {
			break
		}
		cmd.Kind, cmd.Player = game.CmdRestart, game.Nobody
		return cmd
	case 19:
		cmd.Kind, cmd.Profile = game.CmdProfile, &game.Profile{Name: fmt.Sprintf("bot %d", c.intn(2*c.players)), Country: -1}
		return cmd
	}
	cmd.Kind, cmd.Chat, cmd.Text = game.CmdSay, game.ChatMode(c.intn(4)), lines[c.intn(len(lines))]
	return cmd
}

// args returns random arguments for the parameters of a command.
func (c *crowd) args(params string) (args []string) {
	hidden := false // inside the [description] of a parameter
	for _, kind := range params {
		switch {
		case kind == '[' || kind == ']':
			hidden = kind == '['
		case hidden:
		case kind == '?' && c.intn(3) == 0:
			return args
		case kind == 'i':
			args = append(args, fmt.Sprint(c.intn(40)-5))
		case kind == 'f':
			args = append(args, fmt.Sprint(float32(c.intn(400)-50)/8))
		case kind == 's' || kind == 'r':
			args = append(args, []string{"a", "1", "bot 0", "on", "äöü", ""}[c.intn(6)])
		}
	}
	return args
}

// value returns a random valid value of a variable.
func (c *crowd) value(v *game.Variable) string {
	switch {
	case v.MaxLen > 0:
		return lines[c.intn(len(lines))]
	case v.Max > v.Min:
		return fmt.Sprint(int(v.Min) + c.intn(int(v.Max)-int(v.Min)+1))
	}
	return fmt.Sprint(int(v.Min) + c.intn(100))
}
