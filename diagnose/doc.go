// Package diagnose says what is the matter with a queue: a pure function from samples to a verdict, with its evidence.
// A stuck consumer is never taken for too few of them.
//
// [Diagnose] is that function. [Watch] takes the samples from an engine: every 6 s, the last 10 of them. A verdict is
// about that minute: it says what is the matter now, not what was an hour ago. What cannot be told from the samples is
// said to be [Undetermined], never guessed.
package diagnose
