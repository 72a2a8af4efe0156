package app

import (
	"errors"
	"log/slog"
	"strconv"
	"strings"

	"github.com/teeyard/teeyard/server/console"
)

// defaultBots is the value of sv_bots on a server without a configuration file.
const defaultBots = 3

// fillingBots adjusts sv_bots while the configuration does not set it.
type fillingBots struct {
	console    *console.Console
	configured bool // the configuration sets sv_bots
	adjusting  bool
}

// botless are the game types in which bots would only be in the way.
var botless = map[string]bool{"foot": true}

// register sets sv_bots before the configuration does.
func (b *fillingBots) register(c *console.Console, bots int) error {
	b.console = c
	set := func(n int) {
		b.adjusting = true
		c.Execute("sv_bots "+strconv.Itoa(n), console.Operator)
		b.adjusting = false
	}
	set(bots)
	err := c.After("sv_bots", func(*console.Call) { b.configured = b.configured || !b.adjusting })
	return errors.Join(err, c.After("sv_gametype", func(*console.Call) {
		switch none := botless[strings.ToLower(c.Value("sv_gametype"))]; {
		case b.configured || bots == 0:
		case none:
			set(0)
		default:
			set(bots)
		}
	}))
}

// hint logs how to play with or without bots, unless the configuration sets sv_bots.
func (b *fillingBots) hint(log *slog.Logger) {
	switch bots := b.console.Value("sv_bots"); {
	case b.configured:
	case botless[strings.ToLower(b.console.Value("sv_gametype"))]:
	case bots == "0":
		log.Info(`no bots play; set "sv_bots ` + strconv.Itoa(defaultBots) + `" to fill the game with bots up to ` + strconv.Itoa(defaultBots) + ` players`)
	default:
		log.Info("bots fill the game up to " + bots + ` players while a client is connected; set "sv_bots 0" for no bots`)
	}
}
