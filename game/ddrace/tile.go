package ddrace

import "github.com/teeyard/teeyard/game/terrain"

// The tile indices with a meaning in DDRace maps. The prefixes tell the layers, since some indices
// have different meanings in different layers. Modes and bots look for the exported tiles.
const (
	TileSolid     = 1
	TileDeath     = 2
	TileNoHook    = 3 // solid, hooks do not hold
	tileNoLaser   = 4 // stops the lasers of entities
	tileThrough   = 6 // hooks pass the wall behind it
	tileCut       = 5 // over a wall: hooks pass it
	switchJumps   = 7
	TileFreeze    = 9
	TileUnfreeze  = 11
	TileDeep      = 12 // freezes for good
	tileUndeep    = 13
	tileWallJump  = 16
	tileEndless   = 17 // endless hook
	tileUnendless = 18
	tileHit       = 19 // weapons affect others
	tileUnhit     = 20
	tileSolo      = 21
	tileUnsolo    = 22

	switchTimedOpen  = 22
	SwitchTimedClose = 23
	switchOpen       = 24
	SwitchClose      = 25

	TeleInEvil      = 10 // takes the velocity
	teleInWeapon    = 14
	teleInHook      = 15
	TeleIn          = 26
	TeleOut         = 27
	teleCheck       = 29 // sets the checkpoint
	TeleCheckOut    = 30
	TeleCheckIn     = 31
	TeleCheckInEvil = 63

	// The types of speedups. Only DDNet 20 knows the new ones.
	oldSpeedup = 28
	newSpeedup = 29

	tileRefill        = 32 // jumps
	TileStart         = 33
	TileFinish        = 34
	TileCheckpoint    = 35 // to 59: time checkpoints 0..24
	lastCheckpoint    = 59
	tileStop          = 60 // one way, rotatable
	tileStops         = 61 // both ways of an axis, rotatable
	tileStopAll       = 62
	tileMover         = 64 // moves entities, rotatable
	tileFastMover     = 65
	tileThroughAll    = 66 // blocks hooks in the air, lets them pass over a wall
	tileThroughDir    = 67 // the same for one direction, rotatable
	tuneTile          = 68
	tileOldLaser      = 71 // this and the next four count for the whole map
	tileNoCollision   = 72
	tileEndlessDrag   = 73
	tileNoHit         = 74
	tileNoHooking     = 75
	tileUnlock        = 76 // the team
	switchAddTime     = 79
	tileUncollide     = 88 // the tee passes others
	tileUnairjumps    = 89
	tileUnjetpack     = 90
	tileUnhooking     = 91 // hooks of the tee pass others
	switchSubTime     = 95
	tileTelegun       = 96
	tileUntelegun     = 97
	tileTelePoint     = 98 // where teleguns take their owner
	tileTeleBlue      = 99 // the same, keeping the velocity
	tileCollide       = 104
	tileAirjumps      = 105 // unlimited
	tileJetpack       = 106
	tileHooking       = 107
	tileTelegrenade   = 112
	tileUntelegrenade = 113
	tileTelelaser     = 128
	tileUntelelaser   = 129
	TileLive          = 144 // live freeze
	tileUnlive        = 145
	tileEntities      = 192 // the first entity
)

// The flags of rotatable tiles that are turned clockwise.
const (
	turned0   = 0
	turned90  = terrain.TileRotate
	turned180 = terrain.TileFlipX | terrain.TileFlipY
	turned270 = terrain.TileFlipX | terrain.TileFlipY | terrain.TileRotate
	turnMask  = terrain.TileFlipX | terrain.TileFlipY | terrain.TileRotate
)
