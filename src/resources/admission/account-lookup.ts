import type { ServiceAccount } from '../../api/types/core/v1.d.ts';
import type { ObjectsOf } from '../../apiserver/index.ts';
import type { Clock, Random } from '../../base/index.ts';
import type { Whole } from '../kind.ts';
import type { AdmissionParts } from './admission-parts.ts';

export const DEFAULT_ACCOUNT = 'default';

/** kube-apiserver looks ten times, 100 to 200 ms apart. */
const WAITS = 9;
const SHORTEST_WAIT_MS = 100;

/** Finds service accounts, and waits a little for `default`, which a controller makes in every new namespace. */
export class AccountLookup {
  readonly #accounts: ObjectsOf<Whole<ServiceAccount>>;
  readonly #clock: Clock;
  readonly #random: Random;

  constructor(parts: AdmissionParts) {
    this.#accounts = parts.objects.of('', 'serviceaccounts');
    this.#clock = parts.clock;
    this.#random = parts.random;
  }

  async find(namespace: string, name: string): Promise<Whole<ServiceAccount> | undefined> {
    const found = (await this.#accounts.get(namespace, name)) ?? (await this.#accounts.newest(namespace, name));
    if (found !== undefined || name !== DEFAULT_ACCOUNT) return found;
    const patience = new AbortController();
    const waitMs = WAITS * (SHORTEST_WAIT_MS + this.#random.int(SHORTEST_WAIT_MS));
    using _ = this.#clock.timer(waitMs, () => patience.abort());
    return await this.#accounts.appearance(namespace, name, patience.signal);
  }
}
