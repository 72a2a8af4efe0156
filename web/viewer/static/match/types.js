/**
 * The types between match/, which knows what happened, and draw/ and page/, which show it.
 *
 * Units: positions are world units, 1/32 of a tile, with y downwards; ticks are 1/50 s and may have
 * fractions; angles are radians, 0 to the right, growing clockwise. Client ids are 0 to 63. All texts
 * come from strangers: show them with textContent, never as HTML.
 *
 * A {@link Moment} and all that it has belong to the match, which fills the same objects again at the next
 * call of at(): nobody else keeps or changes them.
 *
 * @module
 */

/**
 * A list whose objects are used again. Only the first `length` of `items` count.
 * @template T
 * @typedef {object} List
 * @property {T[]} items
 * @property {number} length
 */

/**
 * All that can be seen at a moment.
 * @typedef {object} Moment
 * @property {number} tick the moment
 * @property {number} prevTick tick of the snapshot at or before it
 * @property {number} nextTick tick of the snapshot after it, whose values the client uses where it does not
 *   interpolate; it counts some animations from nextTick + (tick - prevTick) / (nextTick - prevTick)
 * @property {boolean} ready whether it is known; if not, the rest is still that of the moment before
 * @property {List<Tee>} tees those alive, by client id
 * @property {List<Projectile>} projectiles
 * @property {List<Laser>} lasers
 * @property {List<Pickup>} pickups those that can be taken now
 * @property {List<Flag>} flags
 * @property {List<Effect>} effects what happened in the last EFFECT_TICKS, oldest first, with sounds
 * @property {Player[]} players 64, by client id; see Player.active
 * @property {Game} game
 * @property {Tuning} tuning
 * @property {View} view what the recording player saw; view.mode is FREE in recordings of servers
 * @property {List<ChatLine>} chat the last lines, oldest first; see their ticks
 * @property {List<Kill>} kills those of the last ten seconds, oldest first
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
 * @property {number} nextX where it is at nextTick: whether that is on the ground decides how it walks
 * @property {number} nextY
 * @property {number} nextVX
 * @property {number} angle where it aims
 * @property {number} direction -1 runs left, 0 stands, 1 runs right
 * @property {boolean} airJumped whether the air jump is used: feet are drawn otherwise
 * @property {number} hookState HOOK; the hook is drawn from RETRACT_START on
 * @property {number} hookX end of the hook, also of one that holds a player
 * @property {number} hookY
 * @property {number} hookedPlayer client id, -1 for none
 * @property {number} weapon WEAPON, -1 for none
 * @property {number} attackTick tick of the last shot, 0 for none
 * @property {number} emote EMOTE
 * @property {number} emoticon EMOTICON, -1 for none
 * @property {number} emoticonTick tick at which it was shown; it stays for 2 s
 * @property {number} freeze FREEZE: in the ice of DDRace and of freezing mods, as far as the recording tells
 * @property {number} freezeStart tick at which the freeze began
 * @property {number} freezeEnd tick at which it ends
 * @property {boolean} solo others do not touch it
 * @property {number} jumps how often it can jump, from the ground and then in the air; below 0 only in the air, 0 if
 *   the recording does not tell
 * @property {number} airJumps how often it has jumped in the air
 * @property {boolean} endlessJumps
 * @property {number} ninjaStart tick at which it became a ninja, 0 if the recording does not tell
 * @property {number} checkpoint number of its checkpoint for teleporters, 0 for none
 * @property {number} health 0 to 10, -1 if unknown: it is known of the recording player
 * @property {number} armor likewise
 * @property {number} ammo likewise
 */

/**
 * A projectile, where it is now.
 * @typedef {object} Projectile
 * @property {number} key the same as long as it flies; ids are used again
 * @property {number} x
 * @property {number} y
 * @property {number} vx velocity in units a tick
 * @property {number} vy
 * @property {number} weapon WEAPON
 * @property {number} startTick tick of the shot
 */

/**
 * A segment of a laser beam. It is seen for tuning.laserBounceDelay ms.
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
 * @property {number} x where its pole stands, or the centre of its carrier
 * @property {number} y
 * @property {number} carrier client id; -1 if nobody carries it
 * @property {boolean} atStand
 * @property {number} dropTick tick at which it was dropped, 0 if it was not
 */

/**
 * Something that happened at a place and is seen or heard for a while. Draw from the age (moment.tick -
 * tick) and the seed alone: then it looks the same when one rewinds, in slow motion and in a paused match.
 * @typedef {object} Effect
 * @property {number} key grows with time: what is newer has a greater one
 * @property {number} kind EFFECT
 * @property {number} tick when it happened
 * @property {number} x
 * @property {number} y
 * @property {number} id client id of the tee, -1 for none
 * @property {number} angle DAMAGE: of the stars; SKID: -1 or 1, where it wants to go, if there is ground below
 * @property {number} amount DAMAGE: number of stars; SKID: speed in units a tick
 * @property {number} sound SOUND: index of the sound
 * @property {number} seed 32 bits for random numbers
 */

/**
 * A client, who plays or watches.
 * @typedef {object} Player
 * @property {number} id client id
 * @property {boolean} active whether there is one
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
 * @property {number} raceTeam number of the team in DDRace, 0 for none, SUPER for those who are super
 * @property {Skin} skin
 */

/**
 * A skin: six parts in the order of SKIN_PART. A new object when the skin changes, so that what was made of
 * it can be kept with it.
 * @typedef {object} Skin
 * @property {string[]} parts their names, such as standard; empty for none
 * @property {boolean[]} useCustomColors
 * @property {number[]} colors alpha, hue, saturation, lightness, 8 bits each, hue 0 to 255 for the whole
 *   circle; only the marking uses alpha
 */

/**
 * @typedef {object} Game
 * @property {number} flags bits of GAME: teams, flags, survival, race
 * @property {number} state bits of STATE; 0 while it runs
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
 * What of the tuning is seen, in the units of the tuning commands.
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
 * @property {string} name the player's name then; empty for the server
 * @property {number} team TEAM of the player then
 * @property {number} mode CHAT
 * @property {string} text
 */

/**
 * @typedef {object} Kill
 * @property {number} key
 * @property {number} tick
 * @property {number} killer client id; below 0 for one who has left
 * @property {number} victim client id
 * @property {string} killerName
 * @property {string} victimName
 * @property {number} killerTeam TEAM
 * @property {number} victimTeam TEAM
 * @property {number} weapon WEAPON; below 0 another cause: -1 the world, -2 itself, -3 the game
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
 * @property {number} id client id: who killed, captured or spoke; -1 for none
 * @property {number} other client id of the victim, or TEAM of the flag; -1 for none
 * @property {string} text what a player would read
 */

/**
 * A match, recorded or live. Both sources (match/recording.js, match/live.js) have this form.
 * @typedef {object} Match
 * @property {MatchMap} map
 * @property {string} [id] of one that the server keeps
 * @property {boolean} live
 * @property {number} firstTick the first that can be shown
 * @property {number} lastTick the last that can be shown; grows while a match is live or still being read
 * @property {boolean} ended whether lastTick will not grow any more
 * @property {Mark[]} marks the timeline, by tick; more come while a demo is being read
 * @property {number} indexed tick up to which marks are complete
 * @property {string} problem what is wrong now, for people; empty for nothing
 * @property {(tick: number) => Moment} at the moment at a tick, which may be any, with a fraction. What is
 *   not known yet is fetched, and moment.ready is false until then
 * @property {(width: number, height: number, tiles: Uint8Array) => void} setTiles tells it the indices of the map's
 *   game layer, row by row: servers leave out how a tee moves that goes on as everybody expects
 * @property {() => void} close ends what runs for it
 */

/**
 * @typedef {object} MatchMap
 * @property {string} name
 * @property {string} sha256 in hexadecimal; empty if it is not known
 * @property {() => Promise<Uint8Array>} load loads its file. After an Interrupted, another call goes on
 * @property {(received: number, total: number) => void} [onprogress] is called as its bytes come; total is 0 if
 *   it is not known
 */

export const TICKS_PER_SECOND = 50;

/** How long effects stay in a Moment. */
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
/** How a tee is frozen: for a time, until something frees it, or only its movement. */
export const FREEZE = Object.freeze({ NONE: 0, TIMED: 1, DEEP: 2, LIVE: 3 });
/** What a laser is: a shot of a rifle or of DDRace's shotgun, which pulls, a door, a dragger's beam, one that freezes, another of the map. */
export const LASER = Object.freeze({ RIFLE: 0, SHOTGUN: 1, DOOR: 2, DRAGGER: 3, FREEZE: 4, MAP: 5 });
/** The team in DDRace of those who are super. */
export const SUPER = 64;
export const SKIN_PART = Object.freeze({ BODY: 0, MARKING: 1, DECORATION: 2, HANDS: 3, FEET: 4, EYES: 5 });
export const GAME = Object.freeze({ TEAMS: 1, FLAGS: 2, SURVIVAL: 4, RACE: 8 });
export const STATE = Object.freeze({ WARMUP: 1, SUDDEN_DEATH: 2, ROUND_OVER: 4, GAME_OVER: 8, PAUSED: 16, START_COUNTDOWN: 32 });
export const SPEC = Object.freeze({ FREE: 0, PLAYER: 1, FLAG_RED: 2, FLAG_BLUE: 3 });
export const CHAT = Object.freeze({ NONE: 0, ALL: 1, TEAM: 2, WHISPER: 3 });

/** The kinds of effects. AIR_JUMP, SKID and HOOK_* come from a tee's movement, the others from events. */
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
