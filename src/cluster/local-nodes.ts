import type { Duplex } from 'node:stream';
import type { Logger } from '../base/index.ts';
import { type NodeAgent, NodeServer } from '../node/index.ts';
import { duplexPair } from '../wire/connections/index.ts';

/** The nodes of this process, which its API server reaches without a network. */
export class LocalNodes implements Disposable {
  readonly #servers = new Map<string, NodeServer>();
  readonly #log: Logger;

  constructor(log: Logger) {
    this.#log = log;
  }

  add({ name, served }: NodeAgent): void {
    this.#servers.get(name)?.[Symbol.dispose]();
    this.#servers.set(name, new NodeServer(served, this.#log.with({ node: name })));
  }

  /** Opens a connection to a node; undefined when it is elsewhere. */
  connectionTo(name: string): (() => Duplex) | undefined {
    const server = this.#servers.get(name);
    if (server === undefined) return undefined;
    return () => {
      const [near, far] = duplexPair();
      server.accept(far);
      return near;
    };
  }

  [Symbol.dispose](): void {
    for (const server of this.#servers.values()) server[Symbol.dispose]();
    this.#servers.clear();
  }
}
