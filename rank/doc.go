// Package rank keeps the results of races, so that none is lost and none counts twice, and answers
// what players ask about them by the rules of DDNet. See [game.RankRequest] for what modes see of it.
//
// A [Journal] has a file to which each result is appended, with a checksum, and an index of them in
// memory. A result is answered when it is on the disk (the file is synced after each batch). Each has
// an ID, which its server makes of the match and the request: who repeats a request because it does not
// know whether it was carried out repeats the ID, and it counts once. Processes with the same file
// take turns by locking a file next to it, and see each other's results.
//
// If the disk is full or fails, results wait in memory, count for what is asked meanwhile, and are
// tried again every two seconds. What a crash cut off at the end of the file is dropped; of a
// damaged file, what is good is kept, and a copy of it all.
//
// For many servers a [Remote], such as a database, gets all that is in the journal, in its order and
// with the same IDs, and answers the questions. While it is away, the journal does.
package rank
