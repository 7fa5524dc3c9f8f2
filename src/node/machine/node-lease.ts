import { formatMicroTime, instantOfMillis } from '../../api/index.ts';
import type { Clock } from '../../base/index.ts';
import { type Client, hasReason, type Lease, type ResourceClient, type Stored } from '../../client/index.ts';

const NAMESPACE = 'kube-node-lease';
const DURATION_SECONDS = 40;

/** The sign of life of a node: a Lease that it renews. */
export class NodeLease {
  readonly #name: string;
  readonly #clock: Clock;
  readonly #leases: ResourceClient<Lease>;
  /** The lease after the last write. As a rule no one else writes it, so it is not read before it is written. */
  #latest: Stored<Lease> | undefined;

  constructor(name: string, client: Client) {
    this.#name = name;
    this.#clock = client.clock;
    this.#leases = client.coordination.v1.leases.namespace(NAMESPACE);
  }

  /** Renews the lease, or makes it with the node as its owner. */
  async renew(nodeUid: string, signal: AbortSignal): Promise<void> {
    const lease = this.#latest ?? (await this.#find(signal));
    if (lease === undefined) {
      this.#latest = await this.#leases.create(this.#renewed({ metadata: { name: this.#name } }, nodeUid), { signal });
      return;
    }
    try {
      this.#latest = await this.#leases.update(this.#renewed(lease, nodeUid), { signal });
    } catch (error) {
      this.#latest = undefined; // read it anew next time
      throw error;
    }
  }

  async #find(signal: AbortSignal): Promise<Stored<Lease> | undefined> {
    try {
      return await this.#leases.get(this.#name, { signal });
    } catch (error) {
      if (hasReason(error, 'NotFound')) return undefined;
      throw error;
    }
  }

  #renewed(lease: Lease, uid: string): Lease {
    const owner = { apiVersion: 'v1', kind: 'Node', name: this.#name, uid };
    const renewTime = formatMicroTime(instantOfMillis(this.#clock.now()));
    const { ownerReferences = [] } = lease.metadata ?? {};
    return {
      ...lease,
      metadata: { ...lease.metadata, ownerReferences: ownerReferences.length === 0 ? [owner] : ownerReferences },
      spec: { ...lease.spec, holderIdentity: this.#name, leaseDurationSeconds: DURATION_SECONDS, renewTime },
    };
  }
}
