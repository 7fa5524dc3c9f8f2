import type { ServiceAccount } from '../../api/types/core/v1.d.ts';
import type { Clock, Random } from '../../base/index.ts';
import { singleKey } from '../../store/index.ts';
import type { Whole } from '../kind.ts';
import type { AdmissionParts } from './admission-parts.ts';
import { NearbyObjects } from './nearby-objects.ts';

export const DEFAULT_ACCOUNT = 'default';

/** kube-apiserver looks ten times, 100 to 200 ms apart. */
const WAITS = 9;
const SHORTEST_WAIT_MS = 100;

/** Finds service accounts, and waits a little for `default`, which a controller makes in every new namespace. */
export class AccountLookup {
  readonly #accounts: NearbyObjects<Whole<ServiceAccount>>;
  readonly #clock: Clock;
  readonly #random: Random;

  constructor(parts: AdmissionParts) {
    const kind = { group: '', version: 'v1', kind: 'ServiceAccount', folder: 'serviceaccounts' };
    this.#accounts = new NearbyObjects(parts, kind);
    this.#clock = parts.clock;
    this.#random = parts.random;
  }

  async find(namespace: string, name: string): Promise<Whole<ServiceAccount> | undefined> {
    const path = `${namespace}/${name}`;
    const found = (await this.#accounts.get(path)) ?? (await this.#accounts.getNewest(path));
    if (found !== undefined || name !== DEFAULT_ACCOUNT) return found;
    await this.#appearance(this.#accounts.keyOf(path));
    return this.#accounts.getNewest(path);
  }

  /** Resolves when something is written there, or when enough time has passed. */
  async #appearance(key: string): Promise<void> {
    const { store } = this.#accounts;
    const patience = new AbortController();
    const waitMs = WAITS * (SHORTEST_WAIT_MS + this.#random.int(SHORTEST_WAIT_MS));
    using _ = this.#clock.timer(waitMs, () => patience.abort());
    const revision = await store.revision();
    if ((await store.get(key)) !== undefined) return;
    for await (const { events } of store.watch(singleKey(key), { from: revision + 1, signal: patience.signal })) {
      if (events.some(({ type }) => type === 'put')) return;
    }
  }
}
