// Package vote runs the votes of a server: the options that players can vote for, the vote that
// runs, and the console line that it decides on.
//
// There is one vote at a time, in one of three states:
//
//	idle ─────> running    [Votes.Call], or a mod
//	running ──> settling   it passes
//	running ──> idle       it fails, or ends without a result
//	idle ─────> settling   an operator forces it
//	settling ─> idle       its effect is complete
//
// In detail:
//
//   - idle to running: Call checks the caller and the subject, and counts a yes of the caller. A
//     mod's vote starts in [Votes.Tick]. Clients get the beginning of the vote.
//   - running: [Votes.Cast] and players who join, leave or change team change the counts. The next
//     tick counts again, and clients get the numbers.
//   - running to settling: enough players agree, or an operator decides yes. The console line runs
//     in the same tick. A vote that an operator moderates passes only at its end. A vote that a
//     player may still veto does not pass.
//   - running to idle with a result: a no is certain, the time is over, a player vetoes, or an
//     operator decides no. Clients get the end of the vote.
//   - running to idle without a result: the caller calls the vote off, its target leaves, or its
//     mod ends it.
//   - idle to settling: the console line runs at once, without a vote.
//   - settling to idle: clients get the result in the first tick that starts without a client to
//     drop, so that the effect of a kick comes first. A change of the map does not wait for that.
//
// A new world ends a vote in any state, without a message. No vote starts while one settles.
//
// The rules of Teeworlds 0.7.5 and of DDNet-Server 16.4 are two implementations of the interface
// rules. [Votes.Begin] chooses between them for each world.
package vote
