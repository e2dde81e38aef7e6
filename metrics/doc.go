// Package metrics counts what happens in this process and reads what an engine counts, for any library that shows
// metrics to read: package prom serves Prometheus, package otelmetrics feeds the OpenTelemetry API.
//
//	m := metrics.New(metrics.Config{Engine: engine})
//	w := worker.New(engine, worker.Config{Observers: []worker.Observer{m}})
//	m.Watch(w)
//	orders := api.New(m.Engine(engine))   // what is enqueued through it is counted
//	http.Handle("/metrics", prom.Handler(m))
//
// [All] lists every metric. There are two sorts:
//
//   - Of this process (events, slots): add them up over replicas.
//   - Global ([Desc].Global; the label scope="engine"): read from the engine and the same on every replica. Take the
//     max over replicas, never the sum: max without (instance, pod) (twice_queue_jobs).
//
// What is not known is not there: while the engine does not answer, the global metrics are absent and twice_up is 0;
// none of them is ever 0 for want of an answer.
package metrics
