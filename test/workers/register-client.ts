import { vi } from 'vitest';
import type { RunningServer } from '../../peers/index.ts';
import type { RegisterOperation } from '../chaos/linearizability.ts';
import { Connection } from './connection.ts';

type Deed = RegisterOperation['did'];

/** A client that reads a ConfigMap and swaps its value, and records what it saw of that; it reconnects when it is cut off. */
export class RegisterClient implements Disposable {
  readonly operations: RegisterOperation[] = [];
  readonly #name: string;
  readonly #path: string;
  readonly #server: RunningServer;
  #connection: Connection | undefined;
  #swaps = 0;

  constructor(name: string, path: string, server: RunningServer) {
    this.#name = name;
    this.#path = path;
    this.#server = server;
  }

  /** Reads, and swaps what it has read for something that was never there. */
  async step(): Promise<void> {
    let seen: object | undefined;
    let from = '';
    await this.#noted({ type: 'read', value: '' }, async (connection) => {
      const { code, body } = await connection.request('GET', this.#path);
      if (code !== 200) return undefined;
      seen = body;
      from = body.data?.['value'] ?? '';
      return { type: 'read', value: from };
    });
    if (seen === undefined) return;
    const sent = { ...seen, data: { value: `${this.#name}-${++this.#swaps}` } };
    const swap = { type: 'swap', from, to: sent.data.value } as const;
    await this.#noted({ ...swap, outcome: 'unknown' }, async (connection) => {
      const { code } = await connection.request('PUT', this.#path, sent);
      if (code !== 200 && code !== 409) return undefined;
      return { ...swap, outcome: code === 200 ? 'done' : 'refused' };
    });
  }

  [Symbol.dispose](): void {
    this.#connection?.[Symbol.dispose]();
  }

  /** A failed read proves nothing; a failed swap may have happened or not. */
  async #noted(unknown: Deed, act: (connection: Connection) => Promise<Deed | undefined>): Promise<void> {
    this.#connection ??= await vi.waitFor(() => Connection.open(this.#server), { timeout: 20_000 });
    const client = this.#name;
    const calledAt = performance.now();
    const did = await act(this.#connection).catch(() => undefined);
    if (did !== undefined) {
      this.operations.push({ client, calledAt, returnedAt: performance.now(), did });
      return;
    }
    if (unknown.type === 'swap') this.operations.push({ client, calledAt, returnedAt: Infinity, did: unknown });
    this.#connection[Symbol.dispose]();
    this.#connection = undefined;
  }
}
