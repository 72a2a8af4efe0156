package webpage

import "testing"

func TestWithoutComments(t *testing.T) {
	const script = `/**
 * A module.
 * @module
 */
import { a } from './a.js'; // stays

/** One line. */
const b = "// text", c = a /* stays */ + 1;
	// A line.
	/** @type {number} */ let d = 1;
/* Two
lines */ d++;
`
	const want = `



import { a } from './a.js'; // stays


const b = "// text", c = a /* stays */ + 1;

	/** @type {number} */ let d = 1;

 d++;
`
	if got := string(withoutComments([]byte(script))); got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
}
