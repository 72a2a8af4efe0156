// Package rank stores the results of races. The package loses no result, counts none twice, and
// answers the questions of players by the rules of DDNet. Game modes use it through
// [game.RankRequest].
//
// A [Journal] appends each result with a checksum to a file and keeps an index in memory. It
// answers a request when the result is on the disk; it syncs the file after each batch. Each result
// has an ID that the server derives from the match and the request. A server that does not know
// whether a request was carried out repeats it with the same ID, and it counts once. Processes that
// share a file take turns by locking a second file next to it, and see each other's results.
//
// If the disk is full or fails, results wait in memory and are written again every two seconds.
// Meanwhile they count in answers. After a crash, an incomplete record at the end of the file is
// moved to a second file. Before the journal repairs a damaged file, it makes a copy. The repaired
// file contains the readable records.
//
// Several servers can share a [Remote], such as a database. The journal delivers all its entries to
// it, in order and with the same IDs, and the Remote answers the questions. While it is
// unavailable, the journal answers them.
package rank
