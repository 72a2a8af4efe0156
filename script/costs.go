package script

import (
	"fmt"
)

// CostsVersion is the version of the table of costs for new matches. A replay log names the version
// of its match: with another version, a script at its limits does something else.
const CostsVersion = 2

// firstCosts is the version of logs that name no version. Its costs are spread over the functions,
// which charge them with [vm.old].
const firstCosts = 1

// The limits of version 2, for all hooks of a script in a tick. A step takes 20 ns on a machine of
// the year 2020. No operation takes more than twice as long as its steps say, so a script cannot
// take more than 5 ms.
const (
	tickSteps  = 100_000
	tickMemory = 1 << 20
	loadSteps  = 250_000
	loadMemory = 4 << 20
	drawSteps  = tickSteps / 2

	// allTickSteps is the limit of all scripts of a match in one tick, and allShare their limit in
	// every tick. Each script gets its part of both. It is switched off after it has used more than
	// twice the difference beyond its share, so a script that is always near its limit is off after
	// three ticks.
	allTickSteps = 2 * tickSteps
	allShare     = tickSteps / 2
)

// cost is the steps of a call of a function, without the steps of the virtual machine for the call
// itself.
type cost struct {
	call  uint64 // each call
	bytes uint64 // bytes read or written for one step; 0 if bytes are free
	each  uint64 // each item; the function defines what an item is
}

// costs has a row for everything that a script can call. Functions have their Lua names, methods
// are kind:name, fields are kind.name, and setting a field is "kind.name =". Some operators are
// functions, too.
var costs = map[string]cost{
	// The language.
	"..":         {call: 4, bytes: 64},
	"#":          {call: 1, each: 1}, // for two values of a list
	"^":          {call: 6},
	"%":          {call: 3},
	"assignment": {call: 1}, // to a variable or table of the file
	"undefined":  {call: 10, each: 1},
	"newindex":   {call: 5}, // of a table of the file
	"metamethod": {call: 15},
	"suggestion": {each: 1}, // for 4 letters compared in the search for the nearest name
	"error":      {call: 40, bytes: 16},

	"assert":       {call: 1},
	"getmetatable": {call: 1},
	"ipairs":       {call: 1},
	"ipairs next":  {call: 2},
	"next":         {call: 10, bytes: 64, each: 3},
	"pairs":        {call: 10, bytes: 64, each: 3},
	"pairs next":   {call: 2, each: 1},
	"pcall":        {call: 10, each: 60}, // an error caught
	"print":        {call: 500, bytes: 16, each: 5},
	"raise":        {call: 10}, // the function error
	"rawequal":     {call: 1},
	"rawget":       {call: 2},
	"rawlen":       {call: 1},
	"rawset":       {call: 4},
	"select":       {call: 1, each: 1},
	"setmetatable": {call: 15, each: 2}, // a field of the metatable
	"tonumber":     {call: 4, bytes: 2},
	"tostring":     {call: 8, bytes: 64},
	"type":         {call: 1},
	"unpack":       {call: 2, each: 1},

	"string.byte":       {call: 1, each: 1},
	"string.char":       {call: 4, each: 1},
	"string.find":       {call: 12, bytes: 16, each: 1}, // about six steps of the matcher
	"string.format":     {call: 20, bytes: 16, each: 25},
	"string.gmatch":     {call: 15, bytes: 16, each: 1},
	"gmatch next":       {call: 8, bytes: 64, each: 1},
	"string.gsub":       {call: 15, bytes: 16, each: 8}, // a match
	"string.len":        {call: 1},
	"string.lower":      {call: 4, bytes: 4},
	"string.match":      {call: 12, bytes: 64, each: 1},
	"string.rep":        {call: 5, bytes: 64, each: 1}, // a repeat
	"string.reverse":    {call: 4, bytes: 16},
	"string.sub":        {call: 4, bytes: 64},
	"string.upper":      {call: 4, bytes: 4},
	"table.concat":      {call: 6, bytes: 32, each: 4},
	"table.insert":      {call: 2, each: 1}, // a value that moves
	"table.pack":        {call: 6, each: 2},
	"table.remove":      {call: 2, each: 1},
	"table.sort":        {call: 10, bytes: 64, each: 4}, // a comparison
	"table.sort by":     {each: 20},                     // a comparison with a function
	"table.unpack":      {call: 2, each: 1},
	"pattern":           {call: 4, each: 2}, // an item of the pattern
	"match":             {each: 1},          // four steps of the matcher
	"math.abs":          {call: 1},
	"math.acos":         {call: 6},
	"math.asin":         {call: 6},
	"math.atan":         {call: 4},
	"math.atan2":        {call: 4},
	"math.ceil":         {call: 1},
	"math.cos":          {call: 3},
	"math.deg":          {call: 1},
	"math.exp":          {call: 6},
	"math.floor":        {call: 1},
	"math.fmod":         {call: 4},
	"math.log":          {call: 6},
	"math.max":          {call: 2, each: 2},
	"math.min":          {call: 2, each: 2},
	"math.modf":         {call: 2},
	"math.pow":          {call: 6},
	"math.rad":          {call: 1},
	"math.random":       {call: 2},
	"math.sin":          {call: 3},
	"math.sqrt":         {call: 1},
	"math.tan":          {call: 6},
	"math.tointeger":    {call: 1},
	"math.type":         {call: 1},
	"player":            {call: 2},
	"players":           {call: 10, each: 1},
	"players next":      {call: 3},
	"after":             {call: 50},
	"chat_command":      {call: 50},
	"console_command":   {call: 50},
	"entity_kind":       {call: 50},
	"menu":              {call: 50},
	"mode":              {call: 50},
	"tune_zone":         {call: 50},
	"variable":          {call: 50},
	"vote":              {call: 50},
	"fields":            {each: 6},             // a field of a table argument
	"game.raycast":      {call: 60, each: 1},   // 16 units of the ray
	"game.find_tiles":   {call: 1000, each: 1}, // 512 tiles of the map
	"game.check_win":    {call: 20},
	"game.end_match":    {call: 30},
	"game.players_near": {call: 80},
	"game.layers":       {call: 160},
}

// groups are rows with equal costs.
var groups = []struct {
	cost
	names []string
}{
	// Cheap reads: numbers of the match and of a player.
	{cost{call: 2}, []string{
		"game.tick", "game.match_ticks", "game.warmup", "game.sudden_death", "game.running", "game.score_limit", "game.time_limit",
		"game.map_width", "game.map_height", "game.team_score",
	}},
	{cost{call: 5}, []string{
		"player.id", "player.name", "player.connected", "player.team", "player.score", "player.alive", "player.in_round", "player.bot",
		"player.x", "player.y", "player.health", "player.armor", "player.weapon", "player.grounded", "player.frozen",
		"player.jumps", "player.reload_ticks", "player.direction", "player.firing", "player.jumping", "player.hooking",
		"player.race_time", "player.npc", "player.hooked",
		"player:has_weapon", "player:ammo", "player:has_flag", "player:visible_to", "player:controls_disabled",
		"variable.value", "game.team_size", "game.tile", "game.remove",
	}},
	{cost{call: 15}, []string{
		"player.pos", "player.vel", "player.aim", "player:tuning", "game.flag",
		"player.score =", "player.pos =", "player.vel =", "player.health =", "player.armor =", "player.weapon =", "player.jumps =",
		"player.reload_ticks =", "player:add_score", "player:heal", "player:give_armor", "player:give_weapon", "player:take_weapon",
		"player:set_ammo", "player:push", "player:release_hooks", "player:refill_jump", "player:emote", "player:freeze",
		"player:unfreeze", "player:show_to", "player:set_flag", "player:disable_controls", "player:disable_respawn",
		"player:enable_respawn", "player:delay_respawn", "player:hide_menu", "player:set_npc_skill", "player:remove_npc",
		"game.add_team_score", "game.start_warmup", "game.drop_flag", "game.return_flag", "game.grab_flag", "game.place_flag",
	}},
	{cost{call: 80}, []string{
		"game.nearest_player", "player:respawn", "player:set_input", "player:screen_text",
		"vote:stop", "player:kill",
	}},
	{cost{call: 20, each: 1}, []string{"game.wall_between", "entity:move"}}, // 16 units of the way
	// Calls that make work for clients and for later ticks.
	{cost{call: 500}, []string{
		"player.team =", "player:damage", "player:say", "player:broadcast", "player:motd", "player:set_tuning", "player:set_color",
		"player:reset_skin", "game.say", "game.broadcast", "game.sound", "game.explode", "game.spawn_pickup", "game.spawn_projectile",
		"game.spawn_laser", "game.show_spawn", "game.show_hammer_hit", "game.show_explosion", "game.show_death", "game.show_damage",
		"game.kill_feed", "game.flag_message", "game.add_npc", "menu:show", "vote:start",
		"store.put", "store.get", "store.put_best", "store.add", "store.drop", "store.row", "store.top",
	}},
	{cost{call: 500}, []string{"kind of entities:spawn"}},
	{cost{call: 50, each: 25}, []string{"kind of entities:each"}},
	{cost{call: 10, each: 30}, []string{"answer of the store:rows"}},
	// The data of events.
	{cost{call: 5}, []string{
		"damage.victim", "damage.attacker", "damage.weapon", "damage.amount", "damage.health_lost", "damage.armor_lost",
		"damage.weapon =", "damage.amount =", "death.victim", "death.killer", "death.weapon",
		"chat message.from", "chat message.to", "chat message.mode", "chat message.text", "chat message.text =",
		"input.direction", "input.jump", "input.hook", "input.fire", "input.wanted_weapon",
		"input.direction =", "input.jump =", "input.hook =", "input.fire =", "input.wanted_weapon =",
		"team request.player", "team request.from", "team request.team", "team request.cause", "team request.refusal",
		"team request.team =", "team request.refusal =", "finish.player", "finish.time", "finish.diff", "finish.record",
		"entity.id", "entity.owner", "entity.team", "entity.born", "entity.owner =", "entity.team =", "entity:data", "entity:set",
		"entity:remove", "answer of the store.id", "answer of the store.op", "answer of the store.key", "answer of the store.error",
		"answer of the store.found", "answer of the store.value",
	}},
	{cost{call: 12}, []string{
		"damage.force", "damage.source", "damage.force =", "damage.source =", "death.pos", "input.aim", "input.aim =",
		"entity.pos", "entity.vel", "entity.to", "entity.pos =", "entity.vel =", "entity.to =",
	}},
	{cost{call: 30}, []string{"drawing:laser", "drawing:pickup", "drawing:projectile"}},
}

func init() {
	for _, g := range groups {
		for _, name := range g.names {
			if _, twice := costs[name]; twice {
				panic("script: " + name + " has two costs")
			}
			costs[name] = g.cost
		}
	}
}

// costOf returns a row of the table, which must exist.
func costOf(name string) cost {
	c, ok := costs[name]
	if !ok {
		panic(fmt.Sprintf("script: %s has no row in the table of costs", name))
	}
	return c
}

// bytesCost returns the steps for n bytes of text.
func (c cost) bytesCost(n int) uint64 {
	if c.bytes == 0 {
		return 0
	}
	return uint64(n) / c.bytes
}

// checkCosts returns an error for a version that this program does not know.
func checkCosts(version int) error {
	if version < firstCosts || version > CostsVersion {
		return fmt.Errorf("the costs of scripts are of version %d, and this program has 1 to %d", version, CostsVersion)
	}
	return nil
}
