// Package game contains the rules of Teeworlds as a pure function.
//
// A [World] is one map with everything on it. Only [World.Step] changes a world: it applies the
// commands of one tick (1/50 s) and returns the events of that tick. The package uses no clock,
// goroutine, lock, logger, global state or map iteration. Worlds with equal configurations and
// equal commands are therefore equal, bit for bit, on every machine, and a log of the commands is a
// recording of the match.
//
// The types do not depend on a network version. A [Command] is a request of a player, an operator
// or a vote. An [Event] is something that happened. A [Frame] is the visible state. The bridge
// packages translate them to messages and snapshots.
//
// Physics, weapons, spawning and the match follow Teeworlds 0.7.5. A tee, in names of this package
// a character, is the figure that a player controls. One unit of a position is 1/32 of a tile.
//
// # Modes and mods
//
// A game type implements [Mode], a mod implements [Mod]. Both add the hook interfaces that they
// need, such as [DamageHook]. They change the world with the methods of [Tx] and of the types that
// it returns, such as [Player].
//
// The world calls hooks that can be cancelled for the mods in order and then for the mode, until
// a hook cancels. It calls the other hooks for the mode first, so that mods can change the result.
// Most rules, such as [WinRule], are only asked of the first mod that has them, or else of the
// mode. [Hooks] returns the order of each hook.
//
// [New] returns [ErrHook] for a method that nothing would call. Its name begins with On but is not
// the name of a hook, or it has the name of a hook and another signature.
//
// A mod that panics is switched off, with its declarations, entities and NPCs, and the match
// continues; see [EvModOff]. Its other changes to the world stay. A mode that panics ends the
// match. So does a mod that panics in a method of [StateHook] or [StateSaver].
//
// Hooks can nest, for example when a hook damages another player. At a depth of 16 the world no
// longer calls hooks, and only the built-in rules apply.
package game
