import process from 'node:process';
import { type Clock, type MetricRegistry, readMetrics } from '../../base/index.ts';
import type { ClusterPki } from '../pki/cluster-pki.ts';
import type { MainMessage, PassedAnswer, WorkerMessage, WorkOrder } from './messages.ts';
import { PendingQuestions } from './pending-questions.ts';

/** The main process answers from memory, or after asking all workers. */
const ANSWER_MS = 10_000;

/** What the main process may want of a worker that serves. */
export interface Serving {
  readonly registries: readonly MetricRegistry[];
  drain(): void;
  use(pki: ClusterPki): void;
}

/** The process that started this one, as a worker sees it. When it ends, Node ends this one too. */
export class MainProcess {
  /** Resolves with what the main process wants of this one. */
  readonly order: Promise<WorkOrder>;
  readonly #stop = new AbortController();
  readonly #answers: PendingQuestions<PassedAnswer>;
  #serving: Serving | undefined;

  constructor(clock: Clock) {
    if (process.send === undefined)
      throw new Error('Cannot be a worker: no other process has started this one as such');
    this.#answers = new PendingQuestions(clock);
    this.order = new Promise((resolve) => {
      process.on('message', (message: MainMessage) => {
        if (message.type === 'start') resolve(message.order);
        else this.#take(message);
      });
    });
    this.#tell({ type: 'ready' });
  }

  /** Aborts when this process is to stop. */
  get stop(): AbortSignal {
    return this.#stop.signal;
  }

  /** Reports that this worker serves, and where; it obeys messages of the main process from now on. */
  serves(serving: Serving, address: Extract<WorkerMessage, { type: 'listening' }>['address']): void {
    this.#serving = serving;
    this.#tell({ type: 'listening', address });
  }

  failed(message: string): void {
    this.#tell({ type: 'failed', message });
  }

  /** Has a request answered that is about the main process. */
  request(path: string, accept: string): Promise<PassedAnswer | undefined> {
    return this.#answers.ask((id) => this.#tell({ type: 'request', id, path, accept }), ANSWER_MS);
  }

  /** Hands over lines of the audit log. Resolves when they have left this process. */
  audit(text: string): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#tell({ type: 'audit', text }, (error) => (error === null ? resolve() : reject(error)));
    });
  }

  /** Ends this process. */
  leave(): void {
    process.disconnect();
  }

  #take(message: Exclude<MainMessage, { type: 'start' }>): void {
    switch (message.type) {
      case 'answer':
        return this.#answers.answered(message.id, message.answer);
      case 'read metrics': {
        const metrics = this.#serving?.registries.flatMap((registry) => readMetrics(registry)) ?? [];
        return this.#tell({ type: 'metrics', id: message.id, metrics });
      }
      case 'use':
        return this.#serving?.use(message.pki);
      case 'drain':
        return this.#serving?.drain();
      case 'stop':
        return this.#stop.abort();
    }
  }

  #tell(message: WorkerMessage, sent: (error: Error | null) => void = () => undefined): void {
    process.send?.(message, undefined, undefined, sent);
  }
}
