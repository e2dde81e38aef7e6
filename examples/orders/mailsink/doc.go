// Package mailsink is a mail server in small: the outside system that the orders
// application sends its receipts to. It keeps what it accepts and delivers to
// nobody. Sender is the application's side: it sends one mail over SMTP and says
// whether it was not sent, or whether nobody can tell.
//
// As with any mail server, SMTP offers no way to ask whether a mail with a given
// Message-ID was accepted, and the server does not refuse one it has seen. The
// HTTP side shows the mails to an observer, such as a demo or a test. It is not
// part of what a mail server offers: the application must not use it to decide
// whether to send.
//
//	GET  /mails    the mails accepted, oldest first: ?to=, ?message_id=, ?cursor=, ?limit=
//	GET  /counts   how often each Message-ID was accepted: ?min=, ?cursor=, ?limit=
//	POST /control  a Control: told to misbehave, by exact counts; replaces the one before
//	GET  /control  a State: what is left of the Control, who is held, counts
//	POST /release  {to: [...]}: lets held mails go on; none named: all
//	GET  /livez    200 while it serves
package mailsink
