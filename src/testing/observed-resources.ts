import { resourceRequest } from './resource-request.ts';
import type { Transport, TransportRequest, TransportResponse } from '../client/index.ts';

/** Records which resources the test watches, so that heartbeats skip rounds only when no watcher would see it. */
export class ObservedResources {
  readonly #watches = new Map<string, number>();
  /** The test wraps the transports of the cluster's programs, and may see each heartbeat. */
  readonly isWrapped: boolean;
  /** A port is open: watches over the network are not recorded here. */
  isOpen = false;
  /** Whether faults are active, which may affect each heartbeat. */
  isDisturbed: () => boolean = () => false;
  /** Called before a client gets to see what a beat writes, to run the beats that are behind. */
  beforeUse: (isAsked: (beat: string) => boolean) => Promise<void> | undefined = () => undefined;

  constructor({ isWrapped }: { readonly isWrapped: boolean }) {
    this.isWrapped = isWrapped;
  }

  /** Whether the heartbeat, whose name begins with the resource that it writes, may skip rounds unseen. */
  isUnnoticed(beat: string): boolean {
    return !this.isWrapped && !this.isOpen && !this.isDisturbed() && !this.#watches.has(beat.split('/', 1)[0] ?? '');
  }

  /** Records the watches of a client's transport. */
  readonly wrap = (inner: Transport): Transport => ({
    ...(inner.isLocal === undefined ? {} : { isLocal: inner.isLocal }),
    send: (request) => this.#send(inner, request),
    [Symbol.asyncDispose]: () => inner[Symbol.asyncDispose](),
  });

  async #send(inner: Transport, request: TransportRequest): Promise<TransportResponse> {
    const asked = resourceRequest(request);
    if (asked !== undefined) {
      const { resource: used, name } = asked;
      await this.beforeUse((beat) => (name === '' ? beat.startsWith(`${used}/`) : beat === `${used}/${name}`));
    }
    const resource = asked?.verb === 'watch' ? asked.resource : undefined;
    const response = await inner.send(request);
    const { body } = response;
    if (resource === undefined || body.type === 'object') return response;
    this.#count(resource, 1);
    const over = (): void => this.#count(resource, -1);
    if (body.type === 'bytes') return { ...response, body: { ...body, chunks: until(body.chunks, over) } };
    return { ...response, body: { ...body, batches: until(body.batches, over) } };
  }

  #count(resource: string, change: number): void {
    const count = (this.#watches.get(resource) ?? 0) + change;
    if (count === 0) this.#watches.delete(resource);
    else this.#watches.set(resource, count);
  }
}

async function* until<T>(items: AsyncIterable<T>, over: () => void): AsyncGenerator<T> {
  try {
    yield* items;
  } finally {
    over();
  }
}
