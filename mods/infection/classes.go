package infection

import (
	"strings"

	"github.com/teeyard/teeyard/game"
)

// class is the class of a player.
type class int32

// The classes.
const (
	none class = iota
	engineer
	soldier
	scientist
	medic
	hero
	ninja
	smoker
	hunter
	boomer
	ghost
	slug
	bat
	numClasses
)

// kit is a weapon of a class and its ammo.
type kit struct {
	weapon game.Weapon
	rounds int32 // -1 for endless ammo
	regen  int32 // ticks until the weapon regains one round, 0 for never
}

// classInfo describes a class.
type classInfo struct {
	name, title string
	help        string // shown in the menu; title and help have at most 63 bytes
	team        game.Team
	kits        []kit // a new tee holds the last one
	skin        game.Skin
	// In percent of the world's tuning.
	speed, gravity int32
	share          int32 // default share of an infected class
}

var (
	hammer = kit{game.WeaponHammer, -1, 0}
	gun    = kit{game.WeaponGun, 10, 0} // the rules of the class reload it
)

// classes describes all classes.
var classes = [numClasses]classInfo{
	none: {name: "none", title: "No class", help: "choose one in the vote menu", team: humans, kits: []kit{hammer, gun}},
	engineer: {
		name: "engineer", title: "Engineer", help: "hammer twice: a laser wall that kills", team: humans,
		kits: []kit{hammer, gun, {game.WeaponLaser, 10, 300}}, skin: skin("kitty", "whisker", "", 0x4662c3, 0x3a68ef),
	},
	soldier: {
		name: "soldier", title: "Soldier", help: "hammer: three bombs, again: explode", team: humans,
		kits: []kit{hammer, gun, {game.WeaponGrenade, 10, 350}}, skin: skin("bear", "bear", "hair", 0x108579, 0x118126),
	},
	scientist: {
		name: "scientist", title: "Scientist", help: "hammer: mines; grenades teleport", team: humans,
		kits: []kit{hammer, gun, {game.WeaponGrenade, 3, 500}, {game.WeaponLaser, 10, 300}}, skin: skin("standard", "toptri", "", 0x5d5fa3, 0x586177),
	},
	medic: {
		name: "medic", title: "Medic", help: "hammer heals, laser cures, shotgun pushes", team: humans,
		kits: []kit{hammer, gun, {game.WeaponGrenade, 3, 0}, {game.WeaponLaser, 1, 300}, {game.WeaponShotgun, 10, 38}},
		skin: skin("standard", "duodonny", "twinbopp", 0xe99eb7, 0x0092e0),
	},
	hero: {
		name: "hero", title: "Hero", help: "all weapons, survives a hit, armor for kills", team: humans,
		kits: []kit{hammer, gun, {game.WeaponShotgun, 10, 38}, {game.WeaponLaser, 10, 150}, {game.WeaponGrenade, 10, 150}},
		skin: skin("standard", "stripe", "", 0xf8d67b, 0x950447),
	},
	ninja: {
		name: "ninja", title: "Ninja", help: "hammer dashes, grenades freeze", team: humans,
		kits: []kit{gun, {game.WeaponGrenade, 5, 750}, hammer}, skin: skin("x_ninja", "x_ninja", "", 0x00001e, 0x000014),
	},
	smoker: {
		name: "smoker", title: "Smoker", help: "your hook drains", team: infected, share: 20,
		kits: []kit{hammer}, skin: skin("standard", "cammostripes", "", sick, 0x00ff80),
	},
	hunter: {
		name: "hunter", title: "Hunter", help: "fast, with three jumps", team: infected, share: 20, speed: 115,
		kits: []kit{hammer}, skin: skin("standard", "warpaint", "", sick, 0x00ff80),
	},
	boomer: {
		name: "boomer", title: "Boomer", help: "you explode: hammer, or die", team: infected, share: 20, speed: 90,
		kits: []kit{hammer}, skin: skin("standard", "saddo", "", sick, 0x00ff80),
	},
	ghost: {
		name: "ghost", title: "Ghost", help: "unseen until a human is near", team: infected, share: 5,
		kits: []kit{hammer}, skin: skin("standard", "twintri", "", sick, 0x00ff80),
	},
	slug: {
		name: "slug", title: "Slug", help: "hammer at walls: slime that poisons", team: infected, share: 5,
		kits: []kit{hammer}, skin: skin("koala", "twinbelly", "", sick, 0x00ff80),
	},
	bat: {
		name: "bat", title: "Bat", help: "endless jumps; hits bite and heal you", team: infected, share: 4, gravity: 85,
		kits: []kit{hammer}, skin: skin("kitty", "whisker", "", sick, 0x2bbc80),
	},
}

// sick is the green color of the infected.
const sick = 0x3aff10

// skin returns a skin of the original parts, with colors for body and feet.
func skin(body, marking, decoration string, color, feet int32) game.Skin {
	s := game.Skin{PartNames: [game.NumSkinParts]string{body, marking, decoration, "standard", "standard", "standard"}}
	for i, c := range [...]int32{color, -1, color, color, feet} {
		if c >= 0 {
			s.UseCustomColors[i], s.PartColors[i] = true, c
		}
	}
	return s
}

// line returns the menu line of a class.
func (m *Mode) line(k class) string { return classes[k].title + ": " + classes[k].help }

// enabled reports whether the operator allows a class.
func (m *Mode) enabled(k class) bool { return k != none && m.share[k] > 0 }

// offered returns the classes of a team in the order of its menu.
func (m *Mode) offered(team game.Team) (list []class) {
	for k := none + 1; k < numClasses; k++ {
		if classes[k].team == team && m.enabled(k) {
			list = append(list, k)
		}
	}
	return list
}

// showMenu shows a player the classes to choose from.
func (m *Mode) showMenu(ctx *game.Ctx, id game.PlayerID) {
	p := ctx.Player(id)
	team, menu := p.Team(), m.humanMenu
	switch team {
	case game.TeamSpectators:
		p.HideMenu()
		return
	case infected:
		menu = m.infectedMenu
	}
	var lines []string
	for _, k := range m.offered(team) {
		lines = append(lines, m.line(k))
	}
	p.ShowMenu(menu, lines...)
}

// showMenus shows all players the classes to choose from.
func (m *Mode) showMenus(ctx *game.Ctx) {
	for p := range ctx.Players() {
		m.showMenu(ctx, p.ID())
	}
}

// choose stores the class that a player chose. A human gets it at once before the infection begins;
// all others get it with their next life.
func (m *Mode) choose(ctx *game.Ctx, id game.PlayerID, team game.Team, k class) {
	p := ctx.Player(id)
	if team != infected && team != humans {
		return
	}
	m.state.Wanted[id][team] = k
	p.Say(m.line(k))
	switch {
	case p.Team() != team || !p.Alive() || m.state.Class[id] == k:
	case team == humans && !m.state.Started:
		m.setClass(ctx, id, k)
	default:
		p.Say("You get this class in your next life")
	}
}

// randomClass returns a random class of a team. Infected classes are weighted by their shares.
func (m *Mode) randomClass(ctx *game.Ctx, team game.Team) class {
	all := 0
	for k, c := range classes {
		if c.team == team && m.enabled(class(k)) {
			all += int(m.share[k])
		}
	}
	if all == 0 {
		return none
	}
	n := int32(ctx.Rand(all))
	for k, c := range classes {
		if c.team == team && m.enabled(class(k)) {
			if n -= m.share[k]; n < 0 {
				return class(k)
			}
		}
	}
	return none
}

// setClass gives a tee a class.
func (m *Mode) setClass(ctx *game.Ctx, id game.PlayerID, k class) {
	p := ctx.Player(id)
	c := &classes[k]
	m.state.Class[id] = k
	m.removeTools(ctx, id)
	m.forget(id)
	for _, kit := range c.kits {
		p.GiveWeapon(kit.weapon, kit.rounds)
		p.SetAmmo(kit.weapon, kit.rounds)
		p.SelectWeapon(kit.weapon)
	}
	for w := range game.WeaponNinja {
		if !c.has(w) {
			p.TakeWeapon(w)
		}
	}
	p.SetHealth(10)
	p.SetArmor(0)
	if k == hero {
		p.SetArmor(10)
	}
	jumps := int32(2)
	if k == hunter {
		jumps = 3
	}
	p.SetJumps(jumps)
	if p.SetFlags(0); k == bat {
		p.SetFlags(game.CharacterFlagEndlessJump)
	}
	p.SetVisibleTo(game.MaskAll)
	m.tune(ctx, id)
	if c.skin.PartNames[0] == "" {
		p.ClearSkin()
	} else {
		p.SetSkin(c.skin, 0)
	}
}

func (c *classInfo) has(w game.Weapon) bool {
	for _, kit := range c.kits {
		if kit.weapon == w {
			return true
		}
	}
	return false
}

// tune gives a player the tuning of their class.
func (m *Mode) tune(ctx *game.Ctx, id game.PlayerID) {
	p := ctx.Player(id)
	c := &classes[m.state.Class[id]]
	if c.speed == 0 && c.gravity == 0 {
		p.SetTuning(nil)
		return
	}
	t := ctx.Tuning()
	scale := func(name string, percent int32) {
		if percent != 0 {
			v, _ := t.Get(name)
			t.Set(name, float32(v*float32(percent))/100)
		}
	}
	scale("ground_control_speed", c.speed)
	scale("air_control_speed", c.speed)
	scale("gravity", c.gravity)
	p.SetTuning(&t)
}

// forget resets the data of one life.
func (m *Mode) forget(id game.PlayerID) {
	s := &m.state
	s.Regen[id] = [game.NumWeapons]int32{}
	s.Dashes[id], s.Drained[id], s.Seen[id], s.Fresh[id] = 0, 0, 0, 0
	s.Poison[id], s.Venom[id], s.Slug[id], s.Healed[id] = 0, 0, 0, 0
}

// settings are the variables for operators. Variables that InfClass has, too, have its names.
type settings struct {
	minPlayers, delay, timeLimit, firstLimit, balance, spawnProtection int32

	share [numClasses]int32 // of an infected class; 1 for an enabled human class

	wallLife, wallReduce, bombs, mineRadius, mineLimit   int32
	revivalDamage, revivalMin, dashes                    int32
	smokerDamage, batDamage, batSteal                    int32
	slimeLife, slimeDamage, slimeHeal, slimeMax, flashed int32
}

// The points, the same as in InfClass.
const (
	survivePoints = 5
	infectPoints  = 3
	killPoints    = 1
	helpPoints    = 1
	suicidePoints = -1
	revivePoints  = 5
	healPoints    = 1
)

func (m *Mode) declare(setup *game.Setup) {
	for _, v := range []game.IntVar{
		{Name: "inf_min_players", Help: "Least number of players for a round", Value: &m.minPlayers, Default: 2, Min: 2, Max: game.MaxPlayers},
		{Name: "inf_initial_infection_delay", Help: "Seconds until the first infection", Value: &m.delay, Default: 10, Max: 600},
		{Name: "sv_timelimit_in_seconds", Help: "Length of a round if sv_timelimit is 0", Value: &m.timeLimit, Default: 300, Min: 10, Max: 10000},
		{Name: "inf_first_infected_limit", Help: "Most first infected players, 0 for no limit", Value: &m.firstLimit, Max: game.MaxPlayers},
		{Name: "inf_teambalance_seconds", Help: "Seconds until other players replace infected who left", Value: &m.balance, Default: 10, Max: 1000},
		{Name: "inf_spawn_protection_time", Help: "Milliseconds of protection after an infected spawns", Value: &m.spawnProtection, Default: 2000, Max: 60000},
		{Name: "inf_barrier_lifespan", Help: "Seconds that a laser wall lasts", Value: &m.wallLife, Default: 30, Min: 1, Max: 100},
		{Name: "inf_barrier_timereduce", Help: "Hundredths of a second by which a kill shortens a laser wall", Value: &m.wallReduce, Default: 150, Max: 10000},
		{Name: "inf_soldier_bombs", Help: "Number of bombs of a soldier", Value: &m.bombs, Default: 3, Min: 1, Max: maxBombs},
		{Name: "inf_mine_radius", Help: "Radius of a mine in units", Value: &m.mineRadius, Default: 46, Min: 16, Max: 256},
		{Name: "inf_mine_limit", Help: "Most mines of a scientist", Value: &m.mineLimit, Default: 2, Min: 1, Max: 16},
		{Name: "inf_revival_damage", Help: "Health and armor that a cure costs the medic", Value: &m.revivalDamage, Default: 17, Max: 19},
		{Name: "inf_revival_min_infected", Help: "Least number of infected for medics to cure", Value: &m.revivalMin, Default: 5, Min: 1, Max: game.MaxPlayers},
		{Name: "inf_ninja_jump", Help: "Dashes of a ninja before it must touch the ground", Value: &m.dashes, Default: 2, Max: 100},
		{Name: "inf_flash_time", Help: "Seconds of freeze by a ninja's grenade", Value: &m.flashed, Default: 3, Max: 30},
		{Name: "inf_smoker_hook_damage", Help: "Damage of a smoker's hook, twice a second", Value: &m.smokerDamage, Default: 2, Max: 10},
		{Name: "inf_bat_damage", Help: "Damage of a bat's bite", Value: &m.batDamage, Default: 3, Max: 20},
		{Name: "inf_bat_life_steal", Help: "Health that a bite gives a bat", Value: &m.batSteal, Default: 2, Max: 10},
		{Name: "inf_slime_duration", Help: "Seconds that slime lasts", Value: &m.slimeLife, Default: 10, Min: 1, Max: 120},
		{Name: "inf_slime_poison_damage", Help: "Total damage of slime", Value: &m.slimeDamage, Default: 3, Max: 20},
		{Name: "inf_slime_heal_rate", Help: "Health that slime gives infected in a second", Value: &m.slimeHeal, Default: 2, Max: 50},
		{Name: "inf_slime_max_heal", Help: "Health and armor up to which slime heals", Value: &m.slimeMax, Default: 12, Max: 20},
	} {
		setup.IntVar(v)
	}
	for k := none + 1; k < numClasses; k++ {
		c := &classes[k]
		v := game.IntVar{
			Name: "inf_enable_" + c.name, Help: "Allow the human class " + strings.ToLower(c.title),
			Value: &m.share[k], Default: 1, Max: 1, Changed: m.showMenus,
		}
		if c.team == infected {
			v.Name, v.Help, v.Default, v.Max = "inf_proba_"+c.name, "How often infected become "+strings.ToLower(c.title)+"; 0 for never", c.share, 100
		}
		setup.IntVar(v)
	}
}
