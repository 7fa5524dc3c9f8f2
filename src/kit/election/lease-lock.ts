import { formatMicroTime, instantOfMillis } from '../../api/client.ts';
import type { Clock } from '../../base/index.ts';
import { type Client, hasReason, Lease, type ResourceClient, type Stored } from '../../client/index.ts';

export interface LeaseLockOptions {
  readonly name: string;
  readonly namespace: string;
  readonly identity: string;
  readonly leaseDurationMs: number;
}

/** The Lease that names the leader, as one candidate sees it. */
export class LeaseLock {
  readonly #options: LeaseLockOptions;
  readonly #clock: Clock;
  readonly #leases: ResourceClient<Lease>;
  #lease: Stored<Lease> | undefined;
  /** When the lease was first seen in this state. Clocks of other machines are not trusted: only changes count. */
  #seenAtMs = 0;

  constructor(client: Client, options: LeaseLockOptions) {
    this.#options = options;
    this.#clock = client.clock;
    this.#leases = client.kindIn(Lease, options.namespace);
  }

  /** The lease as last seen. */
  get lease(): Stored<Lease> | undefined {
    return this.#lease;
  }

  get isOurs(): boolean {
    return this.#lease?.spec?.holderIdentity === this.#options.identity;
  }

  /** Takes or renews the lease; `false` if another candidate holds it. Throws if the server cannot be asked. */
  async hold(signal: AbortSignal): Promise<boolean> {
    if (this.isOurs && this.#isRunning()) {
      try {
        await this.#write(signal);
        return true;
      } catch (error) {
        if (!hasReason(error, 'Conflict') && !hasReason(error, 'NotFound')) throw error;
      }
    }
    const current = await this.#read(signal);
    if (current === undefined) return this.#contend(() => this.#create(signal));
    const { holderIdentity = '' } = current.spec ?? {};
    if (holderIdentity !== '' && !this.isOurs && this.#isRunning()) return false;
    return this.#contend(() => this.#write(signal));
  }

  /** Releases the lease if this process holds it. */
  async release(signal: AbortSignal): Promise<void> {
    const current = await this.#read(signal);
    if (current === undefined || !this.isOurs) return;
    const now = this.#now();
    const { leaseTransitions = 0 } = current.spec ?? {};
    const spec = { holderIdentity: '', leaseDurationSeconds: 1, acquireTime: now, renewTime: now, leaseTransitions };
    this.#see(await this.#leases.update({ ...current, spec }, { signal, maxRetries: 0 }));
  }

  async #read(signal: AbortSignal): Promise<Stored<Lease> | undefined> {
    try {
      const lease = await this.#leases.get(this.#options.name, { signal, maxRetries: 0 });
      if (lease.metadata.resourceVersion !== this.#lease?.metadata.resourceVersion) this.#see(lease);
    } catch (error) {
      if (!hasReason(error, 'NotFound')) throw error;
      this.#lease = undefined;
    }
    return this.#lease;
  }

  async #create(signal: AbortSignal): Promise<void> {
    const { name, namespace } = this.#options;
    const spec = { ...this.#claim(), leaseTransitions: 0 };
    this.#see(await this.#leases.create({ metadata: { name, namespace }, spec }, { signal, maxRetries: 0 }));
  }

  /** Makes this process the holder; the server refuses if the lease has changed since it was read. */
  async #write(signal: AbortSignal): Promise<void> {
    const lease = this.#lease as Stored<Lease>;
    const { acquireTime, leaseTransitions = 0 } = lease.spec ?? {};
    const claim = this.#claim();
    const term = this.isOurs ? { acquireTime, leaseTransitions } : { leaseTransitions: leaseTransitions + 1 };
    const spec = { ...lease.spec, ...claim, ...term };
    this.#see(await this.#leases.update({ ...lease, spec }, { signal, maxRetries: 0 }));
  }

  /** Runs a write; `false` if another candidate was faster. */
  async #contend(write: () => Promise<void>): Promise<boolean> {
    try {
      await write();
      return true;
    } catch (error) {
      if (hasReason(error, 'Conflict') || hasReason(error, 'AlreadyExists') || hasReason(error, 'NotFound'))
        return false;
      throw error;
    }
  }

  #claim(): { holderIdentity: string; leaseDurationSeconds: number; acquireTime: string; renewTime: string } {
    const { identity: holderIdentity, leaseDurationMs } = this.#options;
    const now = this.#now();
    const leaseDurationSeconds = Math.floor(leaseDurationMs / 1000);
    return { holderIdentity, leaseDurationSeconds, acquireTime: now, renewTime: now };
  }

  #isRunning(): boolean {
    const { leaseDurationSeconds = 0 } = this.#lease?.spec ?? {};
    return this.#seenAtMs + leaseDurationSeconds * 1000 > this.#clock.monotonic();
  }

  #see(lease: Stored<Lease>): void {
    this.#lease = lease;
    this.#seenAtMs = this.#clock.monotonic();
  }

  #now(): string {
    return formatMicroTime(instantOfMillis(this.#clock.now()));
  }
}
