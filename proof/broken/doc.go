// Package broken has handlers as people really write them, each wrong in a way that is not seen until a job runs twice:
// one a file, with why it is wrong and how it is right. The kit finds each (docs/evidence/handlers.txt), and passes what is right.
package broken
