import type { Clock, Random } from '../../src/base/index.ts';
import { type Client, type ConfigMap, hasReason, type ResourceClient, type Stored } from '../../src/client/index.ts';
import type { RegisterOperation } from './linearizability.ts';

/** What all clients of the test share. */
export interface Workload {
  readonly clock: Clock;
  readonly random: Random;
  readonly signal: AbortSignal;
  /** Any of the ways to the servers: one of them, or the load balancer. */
  readonly anyClient: () => Client;
}

export const NAMESPACE = 'chaos';
const REQUEST_MS = 5000;
const PAUSE_MS = 40;

/** Creates objects, and now and then deletes one, and remembers what the server has promised. */
export class Writer {
  readonly name: string;
  /** By name: whether the object must be there. */
  readonly acknowledged = new Map<string, boolean>();
  unknown = 0;

  constructor(name: string) {
    this.name = name;
  }

  async run(workload: Workload): Promise<void> {
    const { clock, random, signal } = workload;
    for (let count = 0; !signal.aborted; count += 1) {
      const name = `${this.name}-${count}`;
      const configMaps = mapsOf(workload);
      const isDone = await this.#attempt(clock, (scope) =>
        configMaps.create(
          { metadata: { name, namespace: NAMESPACE }, data: { value: name } },
          { signal: scope, maxRetries: 0 },
        ),
      );
      if (isDone) this.acknowledged.set(name, true);
      if (isDone && random.float() < 0.3) {
        this.acknowledged.delete(name); // until its deletion is promised, either will do
        const isGone = await this.#attempt(clock, (scope) => configMaps.delete(name, { signal: scope, maxRetries: 0 }));
        if (isGone) this.acknowledged.set(name, false);
      }
      await clock.sleep(PAUSE_MS, signal);
    }
  }

  async #attempt(clock: Clock, act: (signal: AbortSignal) => Promise<unknown>): Promise<boolean> {
    const limit = AbortSignal.timeout(REQUEST_MS);
    try {
      await act(limit);
      return true;
    } catch {
      this.unknown += 1; // it may have happened or not
      return false;
    }
  }
}

/** Reads and swaps the values of a few registers, and records what it saw. */
export class Swapper {
  readonly name: string;
  /** By register. */
  readonly history = new Map<string, RegisterOperation[]>();

  constructor(name: string, registers: readonly string[]) {
    this.name = name;
    for (const register of registers) this.history.set(register, []);
  }

  async run(workload: Workload): Promise<void> {
    const { clock, random, signal } = workload;
    const registers = [...this.history.keys()];
    for (let count = 0; !signal.aborted; count += 1) {
      const register = registers[random.int(registers.length)] ?? '';
      const known = await this.#read(workload, register);
      if (known !== undefined && random.float() < 0.6) await this.#swap(workload, known, `${this.name}-${count}`);
      await clock.sleep(PAUSE_MS, signal);
    }
  }

  async #read(workload: Workload, register: string): Promise<Stored<ConfigMap> | undefined> {
    const { clock } = workload;
    const limit = AbortSignal.timeout(REQUEST_MS);
    const calledAt = clock.monotonic();
    try {
      const found = await mapsOf(workload).get(register, { signal: limit, maxRetries: 0 });
      const value = found.data?.['value'] ?? '';
      this.#note(register, { calledAt, returnedAt: clock.monotonic(), did: { type: 'read', value } });
      return found;
    } catch {
      return undefined; // a read that failed says nothing
    }
  }

  async #swap(workload: Workload, known: Stored<ConfigMap>, to: string): Promise<void> {
    const { clock } = workload;
    const { name } = known.metadata;
    const from = known.data?.['value'] ?? '';
    const limit = AbortSignal.timeout(REQUEST_MS);
    const calledAt = clock.monotonic();
    const swap = { type: 'swap', from, to } as const;
    try {
      await mapsOf(workload).update({ ...known, data: { value: to } }, { signal: limit, maxRetries: 0 });
      this.#note(name, { calledAt, returnedAt: clock.monotonic(), did: { ...swap, outcome: 'done' } });
    } catch (error) {
      const isRefused = hasReason(error, 'Conflict');
      const returnedAt = isRefused ? clock.monotonic() : Infinity;
      this.#note(name, { calledAt, returnedAt, did: { ...swap, outcome: isRefused ? 'refused' : 'unknown' } });
    }
  }

  #note(register: string, operation: Omit<RegisterOperation, 'client'>): void {
    this.history.get(register)?.push({ client: this.name, ...operation });
  }
}

function mapsOf({ anyClient }: Workload): ResourceClient<ConfigMap> {
  return anyClient().core.v1.configmaps.namespace(NAMESPACE);
}
