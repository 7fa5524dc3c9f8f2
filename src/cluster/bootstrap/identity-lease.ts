import { createHash } from 'node:crypto';
import { formatMicroTime, instantOfMillis } from '../../api/index.ts';
import type { Lease } from '../../api/types/coordination/v1.d.ts';
import type { ApiServer } from '../../apiserver/index.ts';
import { type Clock, type Logger, type Random, sleepAs, type UidSource } from '../../base/index.ts';

const NAMESPACE = 'kube-system';
const LEASES = `/apis/coordination.k8s.io/v1/namespaces/${NAMESPACE}/leases`;
const IDENTITY = 'apiserver.kubernetes.io/identity';
const COMPONENT = 'kube-apiserver';
const DURATION_SECONDS = 3600;
const RENEW_EVERY_MS = 10_000;
/** Jitter factor of the time between two renewals, so that several servers drift apart. */
const JITTER = 0.04;
const COLLECT_EVERY_MS = 3_600_000;

export interface IdentityLeaseOptions {
  readonly hostname: string;
  /** `host:port` at which other servers reach this one. */
  readonly peerAddress: string;
  readonly clock: Clock;
  readonly random: Random;
  readonly uids: UidSource;
  readonly log: Logger;
}

/** The name of a server on this machine among the servers of a cluster. */
export function serverIdentity(hostname: string): string {
  const hash = createHash('sha256');
  for (const text of [hostname, COMPONENT]) {
    const length = Buffer.alloc(2);
    length.writeUInt16BE(Buffer.byteLength(text));
    hash.update(length).update(text);
  }
  return `apiserver-${base32(hash.digest().subarray(0, 16))}`;
}

/** Announces this server to the others of a cluster and to people: a Lease that it renews, and removes when it stops. */
export class IdentityLease {
  readonly #server: ApiServer;
  readonly #options: IdentityLeaseOptions;
  readonly #name: string;
  readonly #holder: string;

  constructor(server: ApiServer, options: IdentityLeaseOptions) {
    this.#server = server;
    this.#options = options;
    this.#name = serverIdentity(options.hostname);
    this.#holder = `${this.#name}_${options.uids.next()}`;
  }

  /** Renews the lease, and removes those of servers that are gone, until the signal aborts; then removes its own. */
  async run(signal: AbortSignal): Promise<void> {
    const { clock, random } = this.#options;
    let collectAt = clock.monotonic();
    await this.#attempt('old identity lease cannot be removed', () => this.#remove());
    while (!signal.aborted) {
      await this.#attempt('identity lease cannot be renewed', () => this.#renew());
      if (clock.monotonic() >= collectAt && !signal.aborted) {
        collectAt = clock.monotonic() + COLLECT_EVERY_MS;
        await this.#attempt('old identity leases cannot be collected', () => this.#collect());
      }
      const periodMs = RENEW_EVERY_MS * (1 + JITTER * random.float());
      await sleepAs(clock, periodMs, { signal, role: { type: 'beat', name: `leases/${this.#name}`, periodMs } });
    }
    await this.#attempt('identity lease cannot be removed', () => this.#remove());
  }

  async #remove(): Promise<void> {
    if ((await this.#current()) !== undefined) await this.#server.self.delete(`${LEASES}/${this.#name}`);
  }

  #current(): Promise<Lease | undefined> {
    return this.#server.objects.of<Lease>('coordination.k8s.io', 'leases').newest(NAMESPACE, this.#name);
  }

  async #renew(): Promise<void> {
    const { clock, hostname, peerAddress } = this.#options;
    const current = await this.#current();
    const lease = {
      ...current,
      metadata: {
        ...current?.metadata,
        name: this.#name,
        namespace: NAMESPACE,
        labels: { ...current?.metadata?.labels, [IDENTITY]: COMPONENT, 'kubernetes.io/hostname': hostname },
        annotations: { ...current?.metadata?.annotations, 'kubernetes.io/peer-advertise-address': peerAddress },
      },
      spec: {
        ...(current?.spec ?? { holderIdentity: this.#holder }),
        leaseDurationSeconds: DURATION_SECONDS,
        renewTime: formatMicroTime(instantOfMillis(clock.now())),
      },
    };
    if (current === undefined) await this.#server.self.create(LEASES, lease);
    else await this.#server.self.update(`${LEASES}/${this.#name}`, lease);
  }

  async #collect(): Promise<void> {
    const leases = await this.#server.objects.of<Lease>('coordination.k8s.io', 'leases').newestList(NAMESPACE);
    const expired = leases.filter(
      (lease) => lease.metadata?.labels?.[IDENTITY] === COMPONENT && isExpired(lease, this.#options.clock.now()),
    );
    await Promise.all(expired.map(({ metadata }) => this.#server.self.delete(`${LEASES}/${metadata?.name ?? ''}`)));
  }

  async #attempt(failure: string, act: () => Promise<void>): Promise<void> {
    try {
      await act();
    } catch (error) {
      this.#options.log.warn(failure, { name: this.#name, error });
    }
  }
}

/** A lease without a duration or a renew time counts as expired. */
function isExpired({ spec }: Lease, nowMs: number): boolean {
  const { renewTime, leaseDurationSeconds } = spec ?? {};
  if (renewTime === undefined || leaseDurationSeconds === undefined) return true;
  return Date.parse(renewTime) + leaseDurationSeconds * 1000 < nowMs;
}

const ALPHABET = 'abcdefghijklmnopqrstuvwxyz234567';

function base32(bytes: Uint8Array): string {
  let [text, bits, value] = ['', 0, 0];
  for (const byte of bytes) {
    value = ((value << 8) | byte) & 0xfff;
    bits += 8;
    while (bits >= 5) {
      bits -= 5;
      text += ALPHABET[(value >>> bits) & 31] ?? '';
    }
  }
  return bits === 0 ? text : text + (ALPHABET[(value << (5 - bits)) & 31] ?? '');
}
