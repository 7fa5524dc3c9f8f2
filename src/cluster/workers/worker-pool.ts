import cluster from 'node:cluster';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import type { LineWriter } from '../../access/index.ts';
import { Backoff, type Clock, type Logger, type MetricRegistry, onAbort, type Random } from '../../base/index.ts';
import type { SchedulingAttempts } from '../../scheduler/index.ts';
import { type InProcessStore, RevisionBoard, serveStore, type Store } from '../../store/index.ts';
import type { ListenAddress } from '../addresses.ts';
import type { ClusterPki } from '../pki/cluster-pki.ts';
import { answerAttempts } from '../scheduling-paths.ts';
import { joinedMetrics } from './joined-metrics.ts';
import type { MainMessage, PassedAnswer, WorkOrder } from './messages.ts';
import type { ServingPort } from './serving-port.ts';
import { WorkerHandle } from './worker-handle.ts';
import type { WorkersOptions } from './workers-options.ts';

export interface WorkerPoolOptions extends WorkersOptions {
  readonly place: ListenAddress;
  /** Undefined where each worker opens the store itself. */
  readonly store: Store | undefined;
  readonly certificates: { readonly pki: ClusterPki };
  /** What this process counts. */
  readonly metrics: { readonly registries: readonly MetricRegistry[] };
  readonly attempts: SchedulingAttempts;
  /** Where lines of the audit log go, if there is one. */
  readonly auditLog: LineWriter | undefined;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  /** Begins the orderly stop. */
  readonly signal: AbortSignal;
}

/** Backoff of a worker that keeps ending. */
const RESTART = { initialMs: 100, capMs: 10_000, jitter: 0.2 };
/** A worker that has served this long resets the backoff. */
const STEADY_MS = 30_000;
/** A worker that has not stopped after this time is killed: longer than it lets requests go on. */
const STOP_MS = 10_000;

/**
 * Processes that serve requests at one port, in the place of this one.
 *
 * Node hands new connections to them by turns. Each has an API server of its own; the store, and what is done once for all
 * servers of a cluster, stay in this process. A worker that ends takes its connections with it and is started again.
 */
export class WorkerPool implements ServingPort {
  readonly #options: WorkerPoolOptions;
  readonly #workers = new Map<number, WorkerHandle>();
  readonly #stopping = new AbortController();
  readonly #board: RevisionBoard | undefined;
  readonly #kept: Promise<void>[] = [];
  readonly #stopListener: Disposable;
  readonly #place: ListenAddress;
  #address: AddressInfo | undefined;
  #stopped: Promise<void> | undefined;
  #isDraining = false;

  /** Resolves when all of them serve. */
  static async open(options: WorkerPoolOptions): Promise<WorkerPool> {
    const pool = new WorkerPool(options, await knownPort(options.place));
    try {
      await pool.#start();
      return pool;
    } catch (error) {
      await pool[Symbol.asyncDispose]();
      throw error;
    }
  }

  private constructor(options: WorkerPoolOptions, place: ListenAddress) {
    const { store, random, program, args, signal } = options;
    this.#options = options;
    this.#place = place;
    this.#board = isInProcess(store) ? RevisionBoard.open(random) : undefined;
    cluster.schedulingPolicy = cluster.SCHED_RR;
    cluster.setupPrimary({
      exec: program,
      args: [...args],
      serialization: 'advanced',
      stdio: ['ignore', 'inherit', 'inherit', 'ipc', 'pipe', this.#board?.fd ?? 'ignore'],
    });
    this.#stopListener = onAbort(signal, () => void this.#stop());
  }

  get address(): AddressInfo {
    if (this.#address === undefined) throw new Error('Cannot say where the workers listen: they do not listen');
    return this.#address;
  }

  get url(): string {
    const { address, family, port } = this.address;
    return `https://${family === 'IPv6' ? `[${address}]` : address}:${port}`;
  }

  /** Workers follow the files of certificates themselves, and `use` sends them the others. */
  renew(): void {
    // nothing is left to send
  }

  use(pki: ClusterPki): void {
    this.#tellAll({ type: 'use', pki });
  }

  drain(): void {
    this.#isDraining = true;
    this.#tellAll({ type: 'drain' });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#stop();
  }

  async #start(): Promise<void> {
    const numbers = Array.from({ length: this.#options.count }, (_item, index) => index + 1);
    const started = numbers.map((number) => this.#startWorker(number));
    try {
      const addresses = await Promise.all(started.map(({ listening }) => listening));
      [this.#address] = addresses;
    } catch (cause) {
      const { host, port } = this.#place;
      throw new Error(`Cannot start workers at ${host}:${port}`, { cause });
    }
    for (const number of numbers) this.#kept.push(this.#keep(number));
  }

  #startWorker(number: number): WorkerHandle {
    const { store, clock } = this.#options;
    const board = this.#board;
    const worker = new WorkerHandle({
      number,
      clock,
      order: () => this.#order(),
      answer: (path, accept) => this.#answer(path, accept),
      audit: (text) => this.#audit(text),
    });
    this.#workers.set(number, worker);
    if (store !== undefined) {
      const say = (): void => {
        if (isInProcess(store)) board?.say(store.revisionNow());
      };
      say();
      const served = serveStore(store, worker.channel, { beforeSending: say });
      void worker.ended.then(() => served[Symbol.dispose]());
    }
    return worker;
  }

  #order(): WorkOrder {
    const { count, certificates, store } = this.#options;
    return {
      place: this.#place,
      workers: count,
      pki: certificates.pki,
      hasStore: store !== undefined,
      hasBoard: this.#board !== undefined,
      isDraining: this.#isDraining,
    };
  }

  /** Starts a worker again whenever it ends, until all are to stop. */
  async #keep(number: number): Promise<void> {
    const { clock, random, log } = this.#options;
    const { signal } = this.#stopping;
    const backoff = new Backoff(RESTART, random);
    let startedMs = clock.monotonic();
    for (let worker = this.#workers.get(number); worker !== undefined; worker = this.#startWorker(number)) {
      const how = await worker.ended;
      if (signal.aborted) return;
      if (clock.monotonic() - startedMs > STEADY_MS) backoff.reset();
      log.warn('a worker has ended and is started again', { worker: number, ended: how });
      await clock.sleep(backoff.nextMs(), signal);
      if (signal.aborted) return;
      startedMs = clock.monotonic();
    }
  }

  #stop(): Promise<void> {
    return (this.#stopped ??= this.#stopAll());
  }

  async #stopAll(): Promise<void> {
    this.#stopListener[Symbol.dispose]();
    this.#stopping.abort();
    this.#tellAll({ type: 'stop' });
    const workers = [...this.#workers.values()];
    using _deadline = this.#options.clock.timer(STOP_MS, () => {
      for (const worker of workers) worker.kill();
    });
    await Promise.all(workers.map(({ ended }) => ended));
    await Promise.all(this.#kept);
    this.#board?.[Symbol.dispose]();
  }

  #tellAll(message: MainMessage): void {
    for (const worker of this.#workers.values()) worker.tell(message);
  }

  async #answer(path: string, accept: string): Promise<PassedAnswer | undefined> {
    const { attempts } = this.#options;
    if (path !== '/metrics') return answerAttempts(attempts)({ method: 'GET', path });
    const metrics = await Promise.all(Array.from(this.#workers.values(), (worker) => worker.metrics()));
    return joinedMetrics(
      this.#options.metrics.registries,
      metrics.filter((each) => each !== undefined),
      accept,
    );
  }

  #audit(text: string): void {
    const { auditLog, log } = this.#options;
    const written = auditLog?.write(text);
    if (written instanceof Promise)
      written.catch((error: unknown) => log.error('lines of the audit log are lost', { error }));
  }
}

/** All workers listen at the same port, also those that come later; so one that is free is found before. */
async function knownPort(place: ListenAddress): Promise<ListenAddress> {
  if (place.port !== 0) return place;
  const server = createServer();
  server.listen({ host: place.host, port: 0 });
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return { ...place, port };
}

function isInProcess(store: Store | undefined): store is InProcessStore {
  return store !== undefined && 'revisionNow' in store;
}
