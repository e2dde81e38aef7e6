// Package service is the business logic of the orders application: placing orders, charging them,
// sending receipts, reconciling the books. The API and the workers share it, and it knows neither.
//
//	Orders    Place, Get      an order is stored and its charge enqueued in one transaction
//	Billing   Charge          money is taken once, at the gateway
//	Receipts  Send            a mail is sent once, or a person is asked
//	Books     Compare,        what the gateway charged against what we recorded
//	          Reconcile
//
// What the services need of others they say in interfaces of their own: a [Database] with transactions
// ([Tx]), [Work] to be done later, a [Gateway] and a [Mailer]. The database decides how jobs, effects and
// data commit together, so another engine changes nothing here.
package service
