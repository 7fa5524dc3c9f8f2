import { BoundedQueue } from '../../base/index.ts';
import type { ContainerEvent } from '../runtime/index.ts';

/** A listener that is behind by more events than this has to look for itself. */
const MOST_EVENTS = 10_000;

/** Passes events of containers on to all who listen. */
export class ContainerEvents implements Disposable {
  readonly #listeners = new Set<BoundedQueue<ContainerEvent>>();

  tell(event: ContainerEvent): void {
    for (const listener of this.#listeners) if (!listener.offer(event)) listener.close();
  }

  async *listen(signal: AbortSignal): AsyncGenerator<ContainerEvent> {
    const events = new BoundedQueue<ContainerEvent>(MOST_EVENTS, { onClose: () => this.#listeners.delete(events) });
    const end = (): void => events.close();
    this.#listeners.add(events);
    if (signal.aborted) end();
    else signal.addEventListener('abort', end, { once: true });
    try {
      yield* events;
    } finally {
      signal.removeEventListener('abort', end);
      end();
    }
  }

  [Symbol.dispose](): void {
    for (const listener of this.#listeners) listener.close();
  }
}
