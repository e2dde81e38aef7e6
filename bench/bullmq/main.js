// The scenarios of ../../internal/loadtest on BullMQ, for bullmq.go: one request a line on stdin, one answer a line on
// stdout. The first argument is the port of the redis-server on loopback.
'use strict';
const readline = require('readline');
const { Queue, Worker } = require('bullmq');

const connection = { host: '127.0.0.1', port: +process.argv[2], maxRetriesPerRequest: null };
const open = (name) => new Queue(name, { connection, defaultJobOptions: { removeOnComplete: true } });
const work = open('work'), rest = open('rest');
const chunk = 1000;

const body = (id) => ({ id: String(id).padStart(26, '0'), tenant: 'acme-industries', pad: 'x'.repeat(27) });
const sleep = (ms) => new Promise((done) => setTimeout(done, ms));
const now = () => performance.now();
const quantile = (all, p) => all.sort((a, b) => a - b)[Math.min(all.length - 1, Math.floor(p * all.length))];
const pending = async () => (await work.getWaitingCount()) + (await work.getActiveCount());
const bulk = (queue, first, n) =>
  queue.addBulk(Array.from({ length: n }, (_, i) => ({ name: 'bench', data: body(first + i) })));

// start starts workers that call ran at the start of each job.
async function start(concurrency, ran) {
  const w = new Worker('work', async () => ran(), { connection, concurrency });
  w.on('error', (e) => console.error('bullmq:', e.message));
  await w.waitUntilReady();
  return w;
}

// settle waits until all have run and nothing is pending, or for the deadline; it gives what is pending then.
async function settle(all, deadline) {
  await Promise.race([all, sleep(deadline - now())]);
  for (;;) {
    const left = await pending();
    if (left === 0 || now() > deadline) return left;
    await sleep(2);
  }
}

// produce lets producers store jobs one by one, and gives how long each call took.
async function produce({ producers, length, first }) {
  const took = [], begin = now();
  await Promise.all(Array.from({ length: producers }, async () => {
    for (let at = begin; at - begin < length;) {
      await work.add('bench', body(first++));
      const then = now();
      took.push(then - at);
      at = then;
    }
  }));
  return { took, elapsed: now() - begin };
}

const scenarios = {
  async fill({ queue, first, n }) {
    await bulk(queue === 'rest' ? rest : work, first, n);
    return {};
  },
  async enqueue(q) {
    const { took, elapsed } = await produce(q);
    return { 'jobs/s': took.length / elapsed * 1000, p50: quantile(took, 0.5), p99: quantile(took, 0.99) };
  },
  async bulk({ length, first }) {
    let n = 0;
    const begin = now();
    for (; now() - begin < length; n += chunk) await bulk(work, first + n, chunk);
    return { 'jobs/s': n / (now() - begin) * 1000 };
  },
  async drain({ workers, cap, backlog }) {
    const before = await pending();
    if (before < backlog) throw new Error(`${before} jobs are pending, ${backlog} were put there`);
    let ran = 0, all, w;
    const done = new Promise((r) => (all = r));
    const begin = now();
    w = await start(workers, () => { if (++ran === before) all(); });
    const left = await settle(done, begin + cap);
    const elapsed = now() - begin;
    await w.close();
    return { 'jobs/s': (before - left) / elapsed * 1000 };
  },
  async both(q) {
    let ran = 0;
    const w = await start(q.workers, () => { ran++; });
    await sleep(200);
    const begin = now();
    const { took } = await produce(q);
    const left = await settle(Promise.resolve(), now() + q.cap);
    const elapsed = now() - begin;
    await w.close();
    if (ran < took.length - left) throw new Error(`${ran} jobs ran of ${took.length}, ${left} are left`);
    return { 'jobs/s': (took.length - left) / elapsed * 1000 };
  },
  async pickup({ samples, workers, first }) {
    let started;
    const w = await start(workers, () => started(now()));
    await sleep(300);
    const returned = [], called = [];
    for (let i = 0; i < samples; i++) {
      await sleep(5 + Math.random() * 20);
      const at = new Promise((r) => (started = r));
      const call = now();
      await work.add('bench', body(first + i));
      const ret = now();
      const begun = await at;
      returned.push(begun - ret);
      called.push(begun - call);
    }
    await w.close();
    return { p50: quantile(returned, 0.5), p99: quantile(returned, 0.99), 'p50 from call': quantile(called, 0.5), 'p99 from call': quantile(called, 0.99) };
  },
};

(async () => {
  for await (const line of readline.createInterface({ input: process.stdin })) {
    const q = JSON.parse(line);
    let answer;
    try {
      answer = { values: await scenarios[q.do](q) };
    } catch (e) {
      answer = { error: e.message };
    }
    process.stdout.write(JSON.stringify(answer) + '\n');
  }
  process.exit(0);
})();
