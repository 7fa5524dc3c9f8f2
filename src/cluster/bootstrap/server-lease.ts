import type { Endpoints } from '../../api/types/core/v1.d.ts';
import { type ApiServer, protobufStorage, type StorageCodec } from '../../apiserver/index.ts';
import type { Clock, Logger } from '../../base/index.ts';
import { prefixRange, type Store } from '../../store/index.ts';
import { apiEndpoints } from './api-endpoints.ts';
import { repair } from './own-object.ts';

/** Where the servers of a cluster, kube-apiserver included, show each other that they are alive. */
const PREFIX = '/registry/masterleases/';
const RENEW_EVERY_MS = 10_000;
const TTL_SECONDS = 15;
/** Another server writes the same lease only while it is being started in place of this one. */
const MAX_TRIES = 5;

export interface ServerLeaseOptions {
  readonly address: string;
  readonly port: number;
  readonly clock: Clock;
  readonly log: Logger;
}

/**
 * Makes the `kubernetes` Service lead to all servers on one store that are alive: each renews a key there that expires otherwise, and
 * writes the addresses of all keys it finds.
 */
export class ServerLease {
  readonly #server: ApiServer;
  readonly #store: Store;
  readonly #options: ServerLeaseOptions;
  readonly #codec: StorageCodec;

  constructor(server: ApiServer, options: ServerLeaseOptions) {
    this.#server = server;
    this.#store = server.objects.store;
    this.#options = options;
    const type = server.registry.find('', 'v1', 'endpoints')?.resource.storage.type;
    if (type === undefined) throw new Error('Unreachable: Endpoints are always served');
    this.#codec = protobufStorage(type);
  }

  /** Renews until the signal aborts; then removes the address, so that clients are sent to other servers. */
  async run(signal: AbortSignal): Promise<void> {
    const { clock } = this.#options;
    while (!signal.aborted) {
      await this.#attempt('server lease cannot be renewed', () => this.reconcile());
      await clock.sleep(RENEW_EVERY_MS, signal);
    }
    await this.#attempt('server lease cannot be removed', () => this.#leave());
  }

  /** Renews the lease, and writes the endpoints of all servers. */
  async reconcile(): Promise<void> {
    await this.#renew();
    const addresses = await this.#addresses();
    if (addresses.length > 0) await this.#write(addresses);
  }

  async #renew(): Promise<void> {
    const { address } = this.#options;
    const key = PREFIX + address;
    for (let tries = 0; tries < MAX_TRIES; tries++) {
      const current = await this.#store.get(key);
      const known = current === undefined ? undefined : this.#read(current.value);
      const object = {
        ...known,
        apiVersion: 'v1',
        kind: 'Endpoints',
        metadata: { ...known?.metadata, generation: (known?.metadata?.generation ?? 0) + 1 },
        subsets: [{ addresses: [{ ip: address }] }],
      };
      const value = this.#codec.encode(object as Parameters<StorageCodec['encode']>[0]);
      const result = await this.#store.commit({
        conditions: [{ key, modRevision: current?.modRevision ?? 0 }],
        operations: [{ type: 'put', key, value, ttlSeconds: TTL_SECONDS }],
      });
      if (result.ok) return;
    }
    throw new Error(`Cannot renew the lease of "${address}": another server writes it again and again`);
  }

  async #addresses(): Promise<readonly string[]> {
    const { entries } = await this.#store.range(prefixRange(PREFIX));
    return entries
      .map(({ value }) => this.#read(value)?.subsets?.[0]?.addresses?.[0]?.ip ?? '')
      .filter((address) => address !== '');
  }

  async #write(addresses: readonly string[]): Promise<void> {
    for (const own of apiEndpoints({ addresses, port: this.#options.port })) await repair(this.#server, own);
  }

  async #leave(): Promise<void> {
    const key = PREFIX + this.#options.address;
    await this.#store.commit({ conditions: [], operations: [{ type: 'delete', key }] });
    const others = await this.#addresses();
    if (others.length > 0) await this.#write(others);
  }

  /** A value among the leases that is not a lease is left alone. */
  #read(value: Uint8Array): Endpoints | undefined {
    try {
      return this.#codec.decode(value) as Endpoints;
    } catch (error) {
      this.#options.log.warn('server lease cannot be read', { error });
      return undefined;
    }
  }

  async #attempt(failure: string, act: () => Promise<void>): Promise<void> {
    try {
      await act();
    } catch (error) {
      this.#options.log.warn(failure, { address: this.#options.address, error });
    }
  }
}
