import cluster, { type Worker } from 'node:cluster';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import type { Clock, ReadMetric } from '../../base/index.ts';
import { CHANNEL_FD, type MainMessage, type PassedAnswer, WORKER_VARIABLE } from './messages.ts';
import type { WorkerMessage, WorkOrder } from './messages.ts';
import { PendingQuestions } from './pending-questions.ts';

export interface WorkerHandleOptions {
  readonly number: number;
  readonly clock: Clock;
  /** What it is to do. */
  order(): WorkOrder;
  /** Answers a request that the worker passes on. */
  answer(path: string, accept: string): Promise<PassedAnswer | undefined>;
  /** Writes lines of the audit log. */
  audit(text: string): void;
}

/** A worker that does not answer within this time is busy with something else, and is left out. */
const ANSWER_MS = 5000;

/** One process that serves requests, as the main process sees it. */
export class WorkerHandle {
  /** Resolves when it serves. Rejects when it has ended before. */
  readonly listening: Promise<AddressInfo>;
  /** Resolves when it has ended, with how. */
  readonly ended: Promise<string>;
  readonly #worker: Worker;
  readonly #options: WorkerHandleOptions;
  readonly #metrics: PendingQuestions<readonly ReadMetric[]>;

  /** Starts it, as `cluster.setupPrimary` says. */
  constructor(options: WorkerHandleOptions) {
    this.#options = options;
    this.#metrics = new PendingQuestions(options.clock);
    this.#worker = cluster.fork({ [WORKER_VARIABLE]: String(options.number) });
    closeWhatIsLost(this.#worker);
    let failure: string | undefined;
    this.ended = new Promise((resolve) => {
      this.#worker.once('error', (error) => resolve(error.message));
      this.#worker.once('exit', (code: number | null, signal: string | null) =>
        resolve(failure ?? signal ?? `exit code ${code ?? 0}`),
      );
    });
    this.listening = new Promise((resolve, reject) => {
      this.#worker.on('message', (message: WorkerMessage) => {
        if (message.type === 'ready') this.tell({ type: 'start', order: options.order() });
        else if (message.type === 'listening') resolve(message.address);
        else if (message.type === 'failed') failure = message.message;
        else this.#take(message);
      });
      void this.ended.then((how) => {
        this.#metrics.giveUp();
        reject(new Error(how));
      });
    });
    this.listening.catch(() => undefined); // the caller that waits for it handles the error
  }

  /** The worker's way to the store. */
  get channel(): Duplex {
    return this.#worker.process.stdio[CHANNEL_FD] as Duplex;
  }

  get isRunning(): boolean {
    return this.#worker.isConnected();
  }

  tell(message: MainMessage): void {
    if (this.#worker.isConnected()) this.#worker.send(message);
  }

  /** What it counts; undefined when it does not say. */
  metrics(): Promise<readonly ReadMetric[] | undefined> {
    if (!this.#worker.isConnected()) return Promise.resolve(undefined);
    return this.#metrics.ask((id) => this.tell({ type: 'read metrics', id }), ANSWER_MS);
  }

  kill(): void {
    this.#worker.process.kill('SIGKILL');
  }

  #take(message: WorkerMessage): void {
    if (message.type === 'metrics') this.#metrics.answered(message.id, message.metrics);
    else if (message.type === 'audit') this.#options.audit(message.text);
    else if (message.type === 'request') void this.#answer(message.id, message.path, message.accept);
  }

  async #answer(id: number, path: string, accept: string): Promise<void> {
    this.tell({ type: 'answer', id, answer: await this.#options.answer(path, accept) });
  }
}

/**
 * Node hands a worker one connection at a time, and closes its own end when the worker has it. When the worker dies before, that end
 * stays open, and the client would wait forever.
 */
function closeWhatIsLost(worker: Worker): void {
  const child = worker.process;
  const send = child.send.bind(child) as (...args: unknown[]) => boolean;
  let last: { close?: () => void } | undefined;
  child.send = (...args: unknown[]): boolean => {
    const [, handle] = args;
    if (typeof handle === 'object' && handle !== null) last = handle;
    return send(...args);
  };
  worker.once('exit', () => last?.close?.()); // closing what is closed does nothing
}
