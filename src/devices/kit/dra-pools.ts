import type { DraDevice, DraPool } from './dra-device.ts';

/** Where a device is; the pool is by default the one named as the node. */
export interface PoolOptions {
  readonly pool?: string;
}

/** The name of the pool that is published under the name of the node. */
export const NODE_POOL = '';
const DEVICE_NAME = /^[a-z0-9](?:[-a-z0-9]{0,61}[a-z0-9])?$/;

/**
 * Devices of a DRA driver that change while it runs: published again, and reported again, whenever they do.
 *
 * Example: `pools.setHealth('gpu-0', 'Unhealthy', { message: 'ECC errors' })`
 */
export class DevicePools {
  #pools: ReadonlyMap<string, DraPool>;
  readonly #waiting = new Set<() => void>();

  constructor(devices: readonly DraDevice[] = []) {
    this.#pools = new Map([[NODE_POOL, checked({ devices })]]);
  }

  /** All pools by name; that of the node has the empty name. */
  all(): ReadonlyMap<string, DraPool> {
    return this.#pools;
  }

  get(name: string, { pool = NODE_POOL }: PoolOptions = {}): DraDevice | undefined {
    return this.#pools.get(pool)?.devices.find((device) => device.name === name);
  }

  /** Replaces the devices of a pool. */
  set(devices: readonly DraDevice[], options: PoolOptions & Omit<DraPool, 'devices'> = {}): void {
    const { pool = NODE_POOL, ...counters } = options;
    this.#replace(pool, checked({ devices, ...counters }));
  }

  /** Removes a pool with its devices. */
  delete(pool: string): void {
    const pools = new Map(this.#pools);
    pools.delete(pool);
    this.#changed(pools);
  }

  /** Throws for a device that is not there. */
  setHealth(
    name: string,
    health: NonNullable<DraDevice['health']>,
    { pool = NODE_POOL, message }: PoolOptions & { readonly message?: string } = {},
  ): void {
    const found = this.#pools.get(pool);
    if (found?.devices.some((device) => device.name === name) !== true)
      throw new Error(`Cannot set the health of device "${name}": there is no such device`);
    const devices = found.devices.map((device): DraDevice => {
      if (device.name !== name) return device;
      const { healthMessage: _before, ...rest } = device;
      return { ...rest, health, ...(message === undefined ? {} : { healthMessage: message }) };
    });
    this.#replace(pool, { ...found, devices });
  }

  /** Resolves when the pools are others than `seen`, or when the signal aborts. */
  changed(seen: ReadonlyMap<string, DraPool>, signal: AbortSignal): Promise<void> {
    if (seen !== this.#pools || signal.aborted) return Promise.resolve();
    return new Promise((resolve) => {
      const wake = (): void => {
        signal.removeEventListener('abort', wake);
        this.#waiting.delete(wake);
        resolve();
      };
      this.#waiting.add(wake);
      signal.addEventListener('abort', wake, { once: true });
    });
  }

  #replace(name: string, pool: DraPool): void {
    this.#changed(new Map([...this.#pools, [name, pool]]));
  }

  #changed(pools: ReadonlyMap<string, DraPool>): void {
    this.#pools = pools;
    const waiting = [...this.#waiting];
    this.#waiting.clear();
    for (const wake of waiting) wake();
  }
}

function checked(pool: DraPool): DraPool {
  const names = new Set<string>();
  for (const { name } of pool.devices) {
    if (!DEVICE_NAME.test(name)) throw new TypeError(`Not a list of devices: "${name}" is no name of a device`);
    if (names.has(name)) throw new TypeError(`Not a list of devices: "${name}" is there twice`);
    names.add(name);
  }
  return pool;
}
