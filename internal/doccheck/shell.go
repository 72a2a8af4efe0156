package doccheck

import (
	"path"
	"regexp"
	"slices"
	"strings"
)

// Command is a command of a shell example.
type Command struct {
	Line int // from 1, in the page
	// Words are the name and the arguments without quotes. Variables and $(...) stay as they are.
	Words []string
}

// shellPrograms are the programs that shell examples may begin with. An indented block that begins
// with another word, and not with a path, is not a shell example.
var shellPrograms = []string{
	"teeyard", "teeyard-fleet", "nats-server", "go", "git", "cd", "for", "echo", "bash", "sh", "curl", "wget", "docker", "podman",
	"sudo", "apt", "apt-get", "install", "cp", "mv", "ln", "mkdir", "chmod", "chown", "tar", "unzip", "sha256sum",
	"systemctl", "systemd-analyze", "journalctl", "useradd", "adduser", "ssh", "scp", "rsync", "sqlite3", "mysql", "mariadb",
	"cat", "kill", "pkill", "grep", "jq", "export", "varnishd", "certbot", "nginx", "printf",
}

// Shell reports whether the block is a shell example: its fence says so, or it is not in a language
// and begins with a command.
func (b Block) Shell() bool {
	switch b.Language {
	case "sh", "bash", "shell":
		return true
	case "":
		commands := Commands(b.Line, b.Text())
		return len(commands) > 0 && commands[0].likely()
	}
	return false
}

var scriptPath = regexp.MustCompile(`^(?:\./|\.\./|scripts/|\.ci/)[\w./-]+$`)

// likely reports whether the command begins with a program that examples use.
func (c Command) likely() bool {
	return slices.Contains(shellPrograms, c.Words[0]) || scriptPath.MatchString(c.Words[0])
}

var assignment = regexp.MustCompile(`^[A-Za-z_]\w*=`)

// prefixes are keywords and programs that come before the name of the program.
var prefixes = []string{"do", "then", "else", "if", "while", "until", "!", "{", "time", "exec", "nohup", "nice", "env"}

// program returns the words of the command from the program that it runs: without variables,
// keywords and commands such as sudo before it. It is nil for the head of a loop.
func (c Command) program() []string {
	words := c.Words
	for len(words) > 0 {
		switch w := words[0]; {
		case assignment.MatchString(w), slices.Contains(prefixes, w):
			words = words[1:]
		case w == "sudo":
			words = words[1:]
			if len(words) > 1 && words[0] == "-u" {
				words = words[2:]
			}
		case slices.Contains([]string{"for", "done", "fi", "}", "case", "esac"}, w):
			return nil
		default:
			return words
		}
	}
	return nil
}

// Teeyard returns the program and the arguments of a command that runs teeyard or teeyard-fleet,
// and whether it does.
func (c Command) Teeyard() (program string, args []string, ok bool) {
	words := c.program()
	if len(words) == 0 {
		return "", nil, false
	}
	if base := path.Base(words[0]); base == "teeyard" || base == "teeyard-fleet" {
		return base, words[1:], true
	}
	if len(words) >= 3 && words[0] == "go" && words[1] == "run" && slices.Contains([]string{".", "./cmd/teeyard", "./cmd/teeyard-fleet"}, words[2]) {
		program := path.Base(words[2])
		if program == "." {
			program = "teeyard"
		}
		return program, words[3:], true
	}
	return "", nil, false
}

// Commands splits the text of a shell example into its commands. line is the number of its first
// line. Comments, redirections and here-documents are left out.
func Commands(line int, text string) []Command {
	l := shellLexer{text: text, line: line}
	l.run()
	return l.commands
}

// shellLexer splits a shell example into commands and words.
type shellLexer struct {
	text string
	at   int
	line int // of at

	commands []Command
	command  Command
	word     strings.Builder
	inWord   bool
	skipWord bool     // the word is the target of a redirection
	here     []string // the ends of the here-documents that begin with the next line
}

func (l *shellLexer) endWord() {
	if !l.inWord {
		return
	}
	if !l.skipWord {
		if l.command.Words == nil {
			l.command.Line = l.line
		}
		l.command.Words = append(l.command.Words, l.word.String())
	}
	l.word.Reset()
	l.inWord, l.skipWord = false, false
}

func (l *shellLexer) endCommand() {
	l.endWord()
	if l.command.Words != nil {
		l.commands = append(l.commands, l.command)
	}
	l.command = Command{}
}

func (l *shellLexer) run() {
	for l.at < len(l.text) {
		c := l.text[l.at]
		l.at++
		switch {
		case c == '\n':
			l.endCommand()
			l.line++
			l.skipHere()
		case c == ' ' || c == '\t':
			l.endWord()
		case c == '#' && !l.inWord:
			for l.at < len(l.text) && l.text[l.at] != '\n' {
				l.at++
			}
		case c == '\\' && l.at < len(l.text):
			if l.text[l.at] == '\n' {
				l.line++
			} else {
				l.add(l.text[l.at : l.at+1])
			}
			l.at++
		case c == '\'':
			l.quoted("'")
		case c == '"':
			l.quoted(`"`)
		case c == '$' && strings.HasPrefix(l.text[l.at:], "("):
			l.at--
			l.add(l.substitution())
		case strings.IndexByte(";&|()", c) >= 0:
			l.endCommand()
		case c == '<' || c == '>':
			l.redirection(c)
		default:
			l.add(string(c))
		}
	}
	l.endCommand()
}

func (l *shellLexer) add(s string) {
	l.word.WriteString(s)
	l.inWord = true
}

// quoted adds the text up to a closing quote.
func (l *shellLexer) quoted(quote string) {
	l.inWord = true
	for l.at < len(l.text) && l.text[l.at:l.at+1] != quote {
		switch {
		case quote == `"` && l.text[l.at] == '\\' && l.at+1 < len(l.text) && strings.IndexByte("\"\\$`\n", l.text[l.at+1]) >= 0:
			l.at++
		case quote == `"` && strings.HasPrefix(l.text[l.at:], "$("):
			l.add(l.substitution())
			continue
		}
		if l.text[l.at] == '\n' {
			l.line++
		}
		l.add(l.text[l.at : l.at+1])
		l.at++
	}
	l.at++
}

// substitution returns a $(...) and moves behind it.
func (l *shellLexer) substitution() string {
	begin, depth := l.at, 0
	for ; l.at < len(l.text); l.at++ {
		switch l.text[l.at] {
		case '(':
			depth++
		case ')':
			if depth--; depth == 0 {
				l.at++
				return l.text[begin:l.at]
			}
		}
	}
	return l.text[begin:]
}

// redirection begins the word that names a file. The command does not get it.
func (l *shellLexer) redirection(c byte) {
	if s := l.word.String(); s == "1" || s == "2" {
		l.word.Reset() // the number of the stream
		l.inWord = false
	}
	l.endWord()
	if c == '<' && strings.HasPrefix(l.text[l.at:], "<") {
		end := strings.Fields(l.text[l.at+1:])
		if len(end) > 0 {
			l.here = append(l.here, strings.Trim(strings.TrimPrefix(end[0], "-"), `'"`))
		}
	}
	for l.at < len(l.text) && strings.IndexByte("<>&| -", l.text[l.at]) >= 0 {
		l.at++
	}
	l.skipWord = true
}

// skipHere skips the here-documents that begin at the line.
func (l *shellLexer) skipHere() {
	for _, end := range l.here {
		for l.at < len(l.text) {
			line, _, _ := strings.Cut(l.text[l.at:], "\n")
			l.at = min(len(l.text), l.at+len(line)+1)
			l.line++
			if strings.TrimSpace(line) == end {
				break
			}
		}
	}
	l.here = nil
}
