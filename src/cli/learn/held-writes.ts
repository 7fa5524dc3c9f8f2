import { onAbort } from '../../base/index.ts';
import type { Transport, TransportRequest, TransportResponse } from '../../client/index.ts';

interface HeldWrite {
  readonly title: string;
  pass(): void;
}

const READS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS']);
/** Heartbeats and reports, which a walk does not step through. */
const UNHELD = /\/(leases|events)(\/|\?|$)|\/nodes\/[^/]+\/status/;

/** Holds the writes of a cluster's programs while it is paused, in the order in which they were sent. */
export class HeldWrites {
  readonly #held: HeldWrite[] = [];
  #isHolding = false;

  /** Holds writes from now on. */
  hold(): void {
    this.#isHolding = true;
  }

  /** Lets all writes pass, those that are held and later ones. */
  letAllPass(): void {
    this.#isHolding = false;
    for (const write of this.#held.splice(0)) write.pass();
  }

  /** Lets the oldest write pass; returns what it is, or undefined when none is held. */
  letOnePass(): string | undefined {
    const write = this.#held.shift();
    write?.pass();
    return write?.title;
  }

  /** A transport whose writes are held. */
  wrap(inner: Transport, who: { readonly user: string }): Transport {
    return {
      ...(inner.isLocal === undefined ? {} : { isLocal: inner.isLocal }),
      send: async (request): Promise<TransportResponse> => {
        if (this.#isHolding && !READS.has(request.method) && !UNHELD.test(request.path))
          await this.#wait(request, who.user);
        return inner.send(request);
      },
      [Symbol.asyncDispose]: () => inner[Symbol.asyncDispose](),
    };
  }

  #wait({ method, path, signal }: TransportRequest, user: string): Promise<void> {
    return new Promise((resolve, reject) => {
      const held: HeldWrite = {
        title: `${method} ${path.split('?', 1)[0] ?? ''} by ${user}`,
        pass: () => {
          leaving[Symbol.dispose]();
          resolve();
        },
      };
      const leaving = onAbort(signal, () => {
        const at = this.#held.indexOf(held);
        if (at >= 0) this.#held.splice(at, 1);
        reject(signal.reason as Error);
      });
      this.#held.push(held);
    });
  }
}
