// Package proved is the orders application under the proof kit: each of its kinds as a case that proof.Run explores.
//
// The gateway is the real one in this process, the mail server the real one on loopback. What a schedule can stand between
// is seen at the application's own borders: each transaction of its database as a whole, each call of its ledger, each
// request to the gateway, each mail.
package proved
