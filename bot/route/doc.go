// Package route finds ways through DDRace maps: inputs that bring a single tee from its spawn point
// to the finish.
//
// # Search
//
// A [Search] simulates maneuvers with the rules of the game (game/ddrace), so it knows the effect
// of every tile. From places that it reached before, nearest to the goal first, it tries random
// maneuvers: run, jump, hook, grenade jump. The search keeps maneuvers that reach a new place: a
// new combination of tile, velocity, jumps and freeze.
//
// The distance to the goal leads over passable tiles, teleporters and stoppers. If a door is
// closed, the switch that opens it becomes the goal. Each try adds a few tiles to the distance of a
// place, so that the search leaves dead ends.
//
// The search is bounded in memory and in work. Work is the number of tiles and entities read,
// because a tick of an absurd map takes a thousand times as long as a typical one. Maps of more
// than 4 million tiles are not searched. The package uses no clock, and no randomness but the seed:
// equal searches find equal ways. The simulated tee has no partner. A way ends where the map
// requires one.
//
// # Runners
//
// A [Runner] plays a way from a view. While the tee's position matches the way, the runner sends
// exactly the inputs of the way. If another player has pushed the tee off the way, the runner
// simulates a dozen trials over 30 ticks in a world of its own. It follows the trial that leads
// farthest along the way. Where a simulation takes too much work, the runner only continues with
// the inputs of the way.
//
// A server searches in a goroutine that rests half of the time. The search begins when the first
// bot is wanted. It ends when a way to the finish is found, after the work of 60 million typical
// ticks (150 s of one processor), or when the map changes. Bots run the part found so far.
//
// # Results
//
// On Debian's map Tutorial, a search of some 60 million ticks in 154 s reached the finish, in
// 404.76 s of play with 11 time checkpoints. It found the first half in a few seconds. On other
// maps the ways end after the start and the first parts, where a partner has to help. On
// DDNet-Server, a client that runs such a way reaches the simulated position in every tick, unless
// an input arrives too late:
//
//	go test -tags peers ./internal/peers/ddnetmaps -run 'Ways|WayOn|TutorialIs' -v
//
// The next test searches for 1 million ticks and lets runners run for two minutes, alone and twelve
// at once. Twelve runners push, hook and freeze each other. The table shows how much of the way
// they ran:
//
//	TEEYARD_FULL=1 go test -tags peers ./internal/peers/ddnetmaps -run RunnersOnMaps -v
//
//	map             way in tiles, of the map  time   alone  twelve: the middle one, the last
//	Tutorial        1,837 of 3,274            216 s  55 %   55 %, 55 %
//	Sunny Side Up   1,166 of 11,233           24 s   all    all, 99 %
//	LearnToPlay     498 of 18,659             46 s   all    64 %, 60 %
//	Gold Mine       130 of 4,456              9 s    all    all, all
//	Tsunami         52 of 2,129               6 s    all    all, 90 %
//
// On Tutorial the runner did not stop. The way on Tsunami ends in a pit; a search of 10 million
// ticks finds no way out without a partner. The map coverage has no finish.
package route
