package handbook

import (
	"html"
	"net/url"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Hit is a result of a search.
type Hit struct {
	Title, Page string // of the part, and of its page
	Link        string // path and fragment
	Extract     string // HTML: the text around the first word, with the word marked

	score int
}

// Limits of a search.
const (
	maxQuery = 200 // bytes
	maxWords = 8
	maxHits  = 30
)

// Search returns the parts of pages that contain all words of a query, the best ones first. Letters
// have no case, and words may be parts of words.
func (b *Book) Search(query string) []Hit {
	if len(query) > maxQuery {
		query = strings.ToValidUTF8(query[:maxQuery], "")
	}
	words := strings.Fields(fold(query))
	words = words[:min(len(words), maxWords)]
	if len(words) == 0 {
		return nil
	}
	var hits []Hit
	for _, p := range b.parts {
		score := p.score(words)
		if score == 0 {
			continue
		}
		h := Hit{Title: p.Title, Page: p.Page.Title, Link: p.Page.Path, Extract: extract(p, words), score: score}
		if p.Level > 1 {
			h.Link += "#" + p.ID
		}
		hits = append(hits, h)
	}
	slices.SortStableFunc(hits, func(a, b Hit) int { return b.score - a.score })
	return hits[:min(len(hits), maxHits)]
}

// score returns how well a part fits, 0 if a word is missing.
func (p *part) score(words []string) int {
	title, page := fold(p.Title), fold(p.Page.Title)
	score := 1
	if title == strings.Join(words, " ") {
		score += 100
		if strings.HasPrefix(p.Page.File, "reference/") {
			score += 50 // the table of a message comes before its examples
		}
	}
	for _, word := range words {
		found := strings.Count(p.folded, word)
		n := min(found, 5)
		if strings.Contains(title, word) {
			n += 20
		}
		if beginsWord(title, word) {
			n += 25
		}
		if strings.Contains(page, word) {
			n += 5
			if p.Level == 1 {
				n += 10
			}
		}
		if n == 0 {
			return 0
		}
		score += n
	}
	return score
}

// beginsWord reports whether a word of a text begins with a word.
func beginsWord(text, word string) bool {
	for w := range strings.FieldsFuncSeq(text, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '_' }) {
		if strings.HasPrefix(w, word) {
			return true
		}
	}
	return false
}

// extract returns the text around the first word that a part contains.
func extract(p *part, words []string) string {
	const before, length = 50, 170
	at, size := -1, 0
	for _, word := range words {
		// Folding may change the length of a text.
		if at = strings.Index(p.folded, word); at >= 0 && len(p.folded) == len(p.plain) {
			size = len(word)
			break
		}
		at = -1
	}
	start := runeStart(p.plain, max(0, at-before))
	end := runeStart(p.plain, min(len(p.plain), start+length))
	escape := html.EscapeString
	var text string
	if at < 0 || at+size > end {
		text = escape(p.plain[start:end])
	} else {
		text = escape(p.plain[start:at]) + "<mark>" + escape(p.plain[at:at+size]) + "</mark>" + escape(p.plain[at+size:end])
	}
	if start > 0 {
		text = "… " + text
	}
	if end < len(p.plain) {
		text += " …"
	}
	return text
}

// runeStart returns the start of the rune at a place.
func runeStart(s string, i int) int {
	for i > 0 && i < len(s) && !utf8.RuneStart(s[i]) {
		i--
	}
	return i
}

// SearchPath returns the path of the results for a query, or the index for none.
func SearchPath(query string) string {
	if query == "" {
		return "/"
	}
	return "/search?" + url.Values{"q": {query}}.Encode()
}
