// Package demo plays scenes with the orders application and says what it saw. Everything in them is real:
// the API and the workers are processes of their own on one SQLite file, the payment gateway and the mail
// server are reached over the network, a killed process is killed with SIGKILL. What a scene claims is
// measured; a claim whose evidence could not be gathered does not hold.
//
// A world ([world]) is one such application with its systems outside. The scenes play in one world, one
// after another; the control plays beside them in a world of its own that keeps no record of its effects,
// where the same must go wrong: a demo that cannot fail shows nothing.
package demo
