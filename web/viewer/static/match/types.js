/**
 * The types between match/, which reads matches, and draw/ and page/, which show them.
 *
 * Units: positions are world units, 1/32 of a tile, with y downwards. Ticks are 1/50 s and may have
 * fractions. Angles are radians, 0 to the right, growing clockwise. Client ids are 0 to 63. All
 * texts come from strangers: show them with textContent, never as HTML.
 *
 * A {@link Moment} and all its parts belong to the match, which reuses the same objects at the next
 * call of at(). Other code must not keep or change them.
 *
 * @module
 */

/**
 * A list that reuses its objects. Only the first `length` of `items` count.
 * @template T
 * @typedef {object} List
 * @property {T[]} items
 * @property {number} length
 */

/**
 * Everything that is visible at a moment.
 * @typedef {object} Moment
 * @property {number} tick the moment
 * @property {number} prevTick tick of the snapshot at or before it
 * @property {number} nextTick tick of the snapshot after it, whose values the client uses where it
 *   does not interpolate. It counts some animations from nextTick + (tick - prevTick) / (nextTick -
 *   prevTick)
 * @property {boolean} ready whether the moment is known; if not, the rest still describes the
 *   previous moment
 * @property {List<Tee>} tees living tees, by client id
 * @property {List<Projectile>} projectiles
 * @property {List<Laser>} lasers
 * @property {List<Pickup>} pickups the pickups that can be taken now
 * @property {List<Flag>} flags
 * @property {List<Effect>} effects the effects of the last EFFECT_TICKS, oldest first, with sounds
 * @property {Player[]} players 64, by client id; see Player.active
 * @property {Game} game
 * @property {Tuning} tuning
 * @property {View} view the view of the recording player; view.mode is FREE in servers' recordings
 * @property {List<ChatLine>} chat the last lines, oldest first; see their ticks
 * @property {List<Kill>} kills the kills of the last ten seconds, oldest first
 * @property {Broadcast} broadcast
 * @property {Vote} vote
 */

/**
 * A living tee.
 * @typedef {object} Tee
 * @property {number} id client id: moment.players[id] is its player
 * @property {number} x centre
 * @property {number} y
 * @property {number} vx velocity in units a tick
 * @property {number} vy
 * @property {number} nextX position at nextTick: whether that is on the ground decides how the tee
 *   walks
 * @property {number} nextY
 * @property {number} nextVX
 * @property {number} angle direction of its aim
 * @property {number} direction -1 runs left, 0 stands, 1 runs right
 * @property {boolean} airJumped whether the air jump is used; the feet are then drawn differently
 * @property {number} hookState HOOK; the hook is drawn from RETRACT_START on
 * @property {number} hookX end of the hook, also while it holds a player
 * @property {number} hookY
 * @property {number} hookedPlayer client id, -1 for none
 * @property {number} weapon WEAPON, -1 for none
 * @property {number} attackTick tick of the last shot, 0 for none
 * @property {number} emote EMOTE
 * @property {number} emoticon EMOTICON, -1 for none
 * @property {number} emoticonTick tick at which the emoticon was shown; it stays for 2 s
 * @property {number} freeze FREEZE: frozen in DDRace or a freezing mod, as far as the recording
 *   tells
 * @property {number} freezeStart tick at which the freeze began
 * @property {number} freezeEnd tick at which the freeze ends
 * @property {boolean} solo whether other tees cannot touch it
 * @property {number} jumps number of jumps, on the ground and then in the air; negative if only in
 *   the air, 0 if the recording does not tell
 * @property {number} airJumps number of air jumps used
 * @property {boolean} endlessJumps
 * @property {boolean} endlessHook
 * @property {boolean} practice whether its team is in practice mode
 * @property {number} weapons bits of the weapons that it has, by WEAPON; 0 if the recording does not
 *   tell
 * @property {number} ninjaStart tick at which it became a ninja, 0 if the recording does not tell
 * @property {number} checkpoint number of its teleporter checkpoint, 0 for none
 * @property {number} health 0 to 10, -1 if unknown; known only for the recording player
 * @property {number} armor likewise
 * @property {number} ammo likewise
 */

/**
 * A projectile at its current position.
 * @typedef {object} Projectile
 * @property {number} key constant during its flight, whereas ids are reused
 * @property {number} x
 * @property {number} y
 * @property {number} vx velocity in units a tick
 * @property {number} vy
 * @property {number} weapon WEAPON
 * @property {number} startTick tick of the shot
 */

/**
 * A segment of a laser beam. It is visible for tuning.laserBounceDelay ms.
 * @typedef {object} Laser
 * @property {number} key
 * @property {number} fromX start
 * @property {number} fromY
 * @property {number} x end
 * @property {number} y
 * @property {number} startTick tick of the shot or bounce
 * @property {number} kind LASER
 */

/**
 * @typedef {object} Pickup
 * @property {number} key
 * @property {number} x
 * @property {number} y
 * @property {number} type PICKUP
 */

/**
 * @typedef {object} Flag
 * @property {number} team TEAM.RED or TEAM.BLUE
 * @property {number} x position of its pole, or the centre of its carrier
 * @property {number} y
 * @property {number} carrier client id; -1 for none
 * @property {boolean} atStand
 * @property {number} dropTick tick at which it was dropped, 0 if it was not
 */

/**
 * An event at a place that is visible or audible for a while. Draw it from its age (moment.tick -
 * tick) and its seed alone, so that it looks the same after rewinding, in slow motion and in a
 * paused match.
 * @typedef {object} Effect
 * @property {number} key grows with time: newer effects have greater keys
 * @property {number} kind EFFECT
 * @property {number} tick when it happened
 * @property {number} x
 * @property {number} y
 * @property {number} id client id of the tee, -1 for none
 * @property {number} angle DAMAGE: of the stars; SKID: -1 or 1, the direction that the tee wants,
 *   if there is ground below
 * @property {number} amount DAMAGE: number of stars; SKID: speed in units a tick
 * @property {number} sound SOUND: index of the sound
 * @property {number} seed 32 bits for random numbers
 */

/**
 * A client, player or spectator.
 * @typedef {object} Player
 * @property {number} id client id
 * @property {boolean} active whether the client exists
 * @property {boolean} local whether it is the recording player
 * @property {string} name
 * @property {string} clan
 * @property {number} country ISO 3166-1 numeric, -1 for none
 * @property {number} team TEAM
 * @property {number} score points, in races ms (-1: none)
 * @property {number} latency in ms
 * @property {boolean} ready
 * @property {boolean} dead out until the round ends
 * @property {boolean} admin
 * @property {boolean} bot
 * @property {boolean} chatting
 * @property {boolean} watching
 * @property {number} raceStartTick 0 if it has not started
 * @property {number} raceTeam number of the DDRace team, 0 for none, SUPER for players in super
 *   mode
 * @property {Skin} skin
 */

/**
 * A skin: six parts in the order of SKIN_PART. It is a new object whenever the skin changes, so
 * that derived data can be cached with it.
 * @typedef {object} Skin
 * @property {string[]} parts their names, such as standard; empty for none
 * @property {boolean[]} useCustomColors
 * @property {number[]} colors alpha, hue, saturation, lightness, 8 bits each, hue 0 to 255 for the whole
 *   circle; only the marking uses alpha
 */

/**
 * @typedef {object} Game
 * @property {number} flags bits of GAME: teams, flags, survival, race
 * @property {number} state bits of STATE; 0 while the match runs
 * @property {number} startTick tick at which the match began
 * @property {number} stateEndTick tick at which the state ends, 0 for no end
 * @property {number} scoreLimit 0 for none
 * @property {number} timeLimit in minutes, 0 for none
 * @property {number} matchNum matches on the map, 0 for no limit
 * @property {number} matchCurrent
 * @property {number} scoreRed
 * @property {number} scoreBlue
 * @property {number} bestTime of a race in ms, -1 for none
 */

/**
 * The visible part of the tuning, in the units of the tuning commands.
 * @typedef {object} Tuning
 * @property {number} hookLength
 * @property {number} gunCurvature
 * @property {number} gunSpeed
 * @property {number} gunLifetime
 * @property {number} shotgunCurvature
 * @property {number} shotgunSpeed
 * @property {number} shotgunLifetime
 * @property {number} grenadeCurvature
 * @property {number} grenadeSpeed
 * @property {number} grenadeLifetime
 * @property {number} laserReach
 * @property {number} laserBounceDelay in ms
 */

/**
 * @typedef {object} View
 * @property {boolean} spectating whether the recording player watches others: as a spectator, in a
 *   pause, or after being eliminated
 * @property {number} mode SPEC
 * @property {number} id client id that was followed, -1 for none
 * @property {number} x centre
 * @property {number} y
 */

/**
 * @typedef {object} ChatLine
 * @property {number} key grows with time
 * @property {number} tick
 * @property {number} id client id, -1 for the server
 * @property {string} name the player's name at that time; empty for the server
 * @property {number} team TEAM of the player at that time
 * @property {number} mode CHAT
 * @property {string} text
 */

/**
 * @typedef {object} Kill
 * @property {number} key
 * @property {number} tick
 * @property {number} killer client id; negative for a player who has left
 * @property {number} victim client id
 * @property {string} killerName
 * @property {string} victimName
 * @property {number} killerTeam TEAM
 * @property {number} victimTeam TEAM
 * @property {number} weapon WEAPON; negative for another cause: -1 the world, -2 itself, -3 the
 *   game
 * @property {number} flags 1 the victim, 2 the killer carried a flag
 */

/**
 * @typedef {object} Broadcast a text in the middle of the screen; it stays for 10 s
 * @property {string} text empty for none
 * @property {number} tick
 */

/**
 * @typedef {object} Vote
 * @property {boolean} active
 * @property {string} description
 * @property {string} reason
 * @property {number} caller client id, -1 for none
 * @property {number} endTick
 * @property {number} yes
 * @property {number} no
 * @property {number} total
 */

/**
 * A mark on the timeline.
 * @typedef {object} Mark
 * @property {number} tick
 * @property {number} kind MARK
 * @property {number} id client id of the player who killed, captured or spoke; -1 for none
 * @property {number} other client id of the victim, or TEAM of the flag; -1 for none
 * @property {string} text the text for a player
 */

/**
 * A match, recorded or live. Both sources (match/file.js, match/live.js) have this form.
 * @typedef {object} Match
 * @property {MatchMap} map
 * @property {string} [id] set for a match that the server keeps
 * @property {boolean} live
 * @property {number} firstTick the first tick that can be shown
 * @property {number} lastTick the last tick that can be shown; grows while a match is live or still
 *   being read
 * @property {boolean} ended whether lastTick will not grow any more
 * @property {Mark[]} marks the marks of the timeline, by tick; more are added while a demo is being
 *   read
 * @property {number} indexed tick up to which marks are complete
 * @property {string} problem a text about the current problem; empty for none
 * @property {string} ending a text to show at the end, for a recording that is cut off
 * @property {(tick: number) => Moment} at the moment at any tick, which may be fractional. Missing
 *   data is fetched, and moment.ready is false until then
 * @property {(width: number, height: number, tiles: Uint8Array) => void} setTiles sets the tile
 *   indices of the map's game layer, row by row. They are needed since servers send no update of a
 *   tee that moves predictably
 * @property {() => void} close stops all loading
 */

/**
 * @typedef {object} MatchMap
 * @property {string} name
 * @property {string} sha256 in hexadecimal; empty if unknown
 * @property {() => Promise<Uint8Array>} load loads the map file. After an Interrupted, another call
 *   resumes
 * @property {(received: number, total: number) => void} [onprogress] called as bytes arrive; total
 *   is 0 if unknown
 */

export const TICKS_PER_SECOND = 50;

/** The time for which effects stay in a Moment. */
export const EFFECT_TICKS = 2 * TICKS_PER_SECOND;

export const WEAPON = Object.freeze({ GAME: -3, SELF: -2, WORLD: -1, HAMMER: 0, GUN: 1, SHOTGUN: 2, GRENADE: 3, LASER: 4, NINJA: 5 });
export const PICKUP = Object.freeze({ HEALTH: 0, ARMOR: 1, GRENADE: 2, SHOTGUN: 3, LASER: 4, NINJA: 5, GUN: 6, HAMMER: 7 });
export const TEAM = Object.freeze({ SPECTATORS: -1, RED: 0, BLUE: 1 });
export const EMOTE = Object.freeze({ NORMAL: 0, PAIN: 1, HAPPY: 2, SURPRISE: 3, ANGRY: 4, BLINK: 5 });
export const EMOTICON = Object.freeze({
	OOP: 0, EXCLAMATION: 1, HEARTS: 2, DROP: 3, DOTDOT: 4, MUSIC: 5, SORRY: 6, GHOST: 7,
	SUSHI: 8, SPLATTEE: 9, DEVILTEE: 10, ZOMG: 11, ZZZ: 12, WTF: 13, EYES: 14, QUESTION: 15,
});
export const HOOK = Object.freeze({ RETRACTED: -1, IDLE: 0, RETRACT_START: 1, RETRACT_MID: 2, RETRACT_END: 3, FLYING: 4, GRABBED: 5 });
/** Kinds of freezing: for a limited time, until something frees the tee, or of its movement only. */
export const FREEZE = Object.freeze({ NONE: 0, TIMED: 1, DEEP: 2, LIVE: 3 });
/**
 * Kinds of lasers: a rifle's, a DDRace shotgun's (which pulls), a door, a dragger's beam, a
 * freezing laser, another laser of the map.
 */
export const LASER = Object.freeze({ RIFLE: 0, SHOTGUN: 1, DOOR: 2, DRAGGER: 3, FREEZE: 4, MAP: 5 });
/** The DDRace team of players in super mode. */
export const SUPER = 64;
export const SKIN_PART = Object.freeze({ BODY: 0, MARKING: 1, DECORATION: 2, HANDS: 3, FEET: 4, EYES: 5 });
export const GAME = Object.freeze({ TEAMS: 1, FLAGS: 2, SURVIVAL: 4, RACE: 8 });
export const STATE = Object.freeze({ WARMUP: 1, SUDDEN_DEATH: 2, ROUND_OVER: 4, GAME_OVER: 8, PAUSED: 16, START_COUNTDOWN: 32 });
export const SPEC = Object.freeze({ FREE: 0, PLAYER: 1, FLAG_RED: 2, FLAG_BLUE: 3 });
export const CHAT = Object.freeze({ NONE: 0, ALL: 1, TEAM: 2, WHISPER: 3 });

/**
 * The kinds of effects. AIR_JUMP, SKID and HOOK_* come from a tee's movement, the others from
 * events.
 */
export const EFFECT = Object.freeze({
	EXPLOSION: 0, SPAWN: 1, HAMMER_HIT: 2, DEATH: 3, DAMAGE: 4, SOUND: 5,
	AIR_JUMP: 6, HOOK_ATTACH_GROUND: 7, HOOK_ATTACH_PLAYER: 8, HOOK_HIT_NOHOOK: 9, JUMP: 10, SKID: 11,
});

/** The kinds of marks on the timeline. */
export const MARK = Object.freeze({ KILL: 0, GRAB: 1, CAPTURE: 2, RETURN: 3, DROP: 4, CHAT: 5, FINISH: 6, ROUND: 7 });

/** The sounds of Effect.sound, by index. */
export const SOUND = Object.freeze([
	'gun fire', 'shotgun fire', 'grenade fire', 'hammer fire', 'hammer hit', 'ninja fire', 'grenade explode', 'ninja hit', 'laser fire', 'laser bounce',
	'weapon switch', 'pain short', 'pain long', 'body land', 'air jump', 'jump', 'die', 'spawn', 'skid', 'cry', 'hook loop',
	'hook attach ground', 'hook attach player', 'hook no attach', 'pickup health', 'pickup armor', 'pickup grenade', 'pickup shotgun', 'pickup ninja',
	'weapon spawn', 'no ammo', 'hit', 'chat server', 'chat client', 'chat highlight', 'ctf drop', 'ctf return', 'ctf grab own', 'ctf grab enemy', 'ctf capture', 'menu',
]);
