package rules

import (
	"strconv"
	"strings"

	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/server/console"
)

// Config is the configuration of [Configured].
type Config struct {
	DDNet bool // as in Register
	// InForce returns the rules that the mode of the match has decided on, and false before the
	// start.
	InForce func() (game.Rules, bool)
	// Changed is called when a rule was set. tell is the value of game.CmdSetRules.
	Changed func(tell int32)
}

// Configured is the rules as the operator has set them.
type Configured struct {
	game.Rules

	cfg     Config
	console *console.Console
	// inactiveTimeSet reports whether sv_inactivekick_time was set. It then counts in DDRace, too.
	inactiveTimeSet bool
}

// New returns rules. Call Register next.
func New(cfg Config) *Configured { return &Configured{cfg: cfg} }

// Register adds the variables to a console and sets the rules to their defaults. The console shows
// the rules in force.
func (r *Configured) Register(c *console.Console) error {
	r.console = c
	if err := Register(c, &r.Rules, r.cfg.DDNet); err != nil {
		return err
	}
	for _, rule := range game.RuleSettings() {
		if rule.Name == "" {
			continue
		}
		err := c.After(rule.Name, func(*console.Call) {
			if rule.Name == "sv_inactivekick_time" {
				r.SetInactiveTime()
			}
			r.cfg.Changed(rule.Tell)
		})
		if err != nil {
			return err
		}
		if rule.Name == "sv_inactivekick" { // DDNet's numbers differ from the rule
			continue
		}
		err = c.InForce(rule.Name, func() (string, bool) {
			now, ok := r.cfg.InForce()
			if !ok {
				return "", false
			}
			return strconv.Itoa(int(rule.Value(&now))), true
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// SetInactiveTime notes that sv_inactivekick_time was set.
func (r *Configured) SetInactiveTime() {
	r.inactiveTimeSet = true
	r.console.SaveDefault("sv_inactivekick_time")
}

// IsInactiveTimeSet reports whether sv_inactivekick_time was set.
func (r *Configured) IsInactiveTimeSet() bool { return r.inactiveTimeSet }

// For returns the rules for a world of a game type. rotates reports whether maps follow in turn.
func (r *Configured) For(gameType string, isDDRace, rotates bool) game.Rules {
	r.PlayerSlots = min(r.PlayerSlots, r.MaxClients)
	all := r.Rules
	if isDDRace && !r.inactiveTimeSet {
		all.InactiveTime = 0 // players who wait for a partner, or rest in a race of hours, keep their seat
	}
	all.MapRotation, all.PureTuning = rotates, IsPure(gameType)
	return all
}

// IsPure reports whether a built-in game type has the standard tuning. Modes and mods may overrule
// that.
func IsPure(gameType string) bool {
	return !strings.EqualFold(gameType, "mod") && !strings.EqualFold(gameType, "race")
}
