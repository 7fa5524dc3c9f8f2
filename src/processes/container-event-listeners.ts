import { BoundedQueue } from '../base/index.ts';
import type { ContainerEvent, RuntimeService } from '../node/index.ts';

const MAX_EVENTS = 10_000;

/** The readers of container events: each gets the events of processes, and those of the simulated runtime. */
export class ContainerEventListeners {
  readonly #simulated: Pick<RuntimeService, 'containerEvents'>;
  readonly #queues = new Set<BoundedQueue<ContainerEvent>>();

  constructor(simulated: Pick<RuntimeService, 'containerEvents'>) {
    this.#simulated = simulated;
  }

  /** Delivers an event of a process. A reader that is too slow ends, and lists all containers again. */
  notify(event: ContainerEvent): void {
    for (const queue of this.#queues) if (!queue.offer(event)) queue.close();
  }

  async *events(signal: AbortSignal): AsyncGenerator<ContainerEvent> {
    const queue = new BoundedQueue<ContainerEvent>(MAX_EVENTS, { onClose: () => this.#queues.delete(queue) });
    const ended = new AbortController();
    const scope = AbortSignal.any([signal, ended.signal]);
    const end = (): void => queue.close();
    const pump = async (): Promise<void> => {
      for await (const event of this.#simulated.containerEvents(scope)) if (!queue.offer(event)) break;
      queue.close(); // also when the reader is too slow
    };
    this.#queues.add(queue);
    signal.addEventListener('abort', end, { once: true });
    if (signal.aborted) end();
    const pumping = pump();
    try {
      yield* queue;
    } finally {
      signal.removeEventListener('abort', end);
      end();
      ended.abort();
      await pumping;
    }
  }

  close(): void {
    for (const queue of this.#queues) queue.close();
  }
}
