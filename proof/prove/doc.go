// Package prove runs all that the proof of an engine consists of, in one go and within a time box: the kit on handlers,
// the campaigns F0 to F15 on real processes, and the controls, each of which must be found broken.
//
// A [Part] is fought in rounds, each on a fresh store with a seed of its own. Every part is fought once; then all but those
// that leave nothing to chance are fought again in turn while there is time. What comes out is a [Report]: for each part what
// was done, what was seen, and whether it held; for a part that could not be fought on this engine, why.
package prove
