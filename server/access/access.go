// Package access decides which clients of a server may connect, log in, and be heard: it keeps
// bans, banned names, mutes, logins to the remote console, and the limits for strangers.
package access
