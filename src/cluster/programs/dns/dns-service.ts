import type { Logger, Runnable } from '../../../base/index.ts';
import { type Client, type EndpointSlice, hasReason, type Sendable } from '../../../client/index.ts';
import type { ListenAddress } from '../../../network/index.ts';

const NAMESPACE = 'kube-system';
const NAME = 'kube-dns';
const OWNER_LABEL = 'app.kubernetes.io/managed-by';
const OWNER = 'keelson';
/** Changes that others have made to the objects are undone this often. */
const LOOK_EVERY_MS = 30_000;
const RETRY_MS = 2000;

export interface DnsServiceOptions {
  readonly clusterIP: string;
  /** Where the server listens. */
  readonly addresses: readonly ListenAddress[];
  readonly log: Logger;
}

/**
 * Keeps the Service by which pods reach the DNS server, and the EndpointSlices that lead from it to where the server listens.
 *
 * A Service of this name that has another owner, such as CoreDNS, is left alone.
 */
export class DnsService implements Runnable {
  readonly #client: Client;
  readonly #options: DnsServiceOptions;
  #hasYielded = false;

  constructor(client: Client, options: DnsServiceOptions) {
    this.#client = client;
    this.#options = options;
  }

  async run(signal: AbortSignal): Promise<void> {
    const { log } = this.#options;
    while (!signal.aborted) {
      let waitMs = LOOK_EVERY_MS;
      try {
        await this.keep(signal);
      } catch (error) {
        if (signal.aborted) return;
        log.warn('cannot write the Service of the DNS server', { error });
        waitMs = RETRY_MS;
      }
      await this.#client.clock.sleep(waitMs, signal);
    }
  }

  /** Creates what is missing and changes what is wrong. */
  async keep(signal: AbortSignal): Promise<void> {
    const services = this.#client.core.v1.services.namespace(NAMESPACE);
    const { clusterIP, log } = this.#options;
    const current = await services.get(NAME, { signal }).catch(undefinedIfMissing);
    if (current === undefined) {
      await services.create(serviceOf(clusterIP), { signal });
    } else if (current.metadata.labels?.[OWNER_LABEL] !== OWNER) {
      if (!this.#hasYielded)
        log.info('the Service kube-system/kube-dns is not ours, it is left alone', {
          clusterIP: current.spec?.clusterIP,
        });
      this.#hasYielded = true;
      return;
    } else if (current.spec?.clusterIP !== clusterIP) {
      log.warn("the Service kube-system/kube-dns has another address than the one in pods' resolv.conf", {
        has: current.spec?.clusterIP,
        wanted: clusterIP,
      });
    }
    for (const slice of slicesOf(this.#options.addresses)) await this.#keepSlice(slice, signal);
  }

  async #keepSlice(slice: Sendable<EndpointSlice>, signal: AbortSignal): Promise<void> {
    const slices = this.#client.discovery.v1.endpointslices.namespace(NAMESPACE);
    const name = slice.metadata?.name ?? '';
    const current = await slices.get(name, { signal }).catch(undefinedIfMissing);
    if (current === undefined) await slices.create(slice, { signal });
    else if (!isSame(current, slice))
      await slices.update(
        { ...current, endpoints: slice.endpoints, ports: slice.ports } as EndpointSlice & typeof current,
        {
          signal,
        },
      );
  }
}

function undefinedIfMissing(error: unknown): undefined {
  if (hasReason(error, 'NotFound')) return undefined;
  throw error;
}

const PORTS = [
  { name: 'dns', protocol: 'UDP' },
  { name: 'dns-tcp', protocol: 'TCP' },
] as const;

function serviceOf(clusterIP: string) {
  return {
    metadata: { name: NAME, labels: { 'k8s-app': NAME, 'kubernetes.io/name': 'CoreDNS', [OWNER_LABEL]: OWNER } },
    spec: { clusterIP, ports: PORTS.map((port) => ({ ...port, port: 53 })) },
  };
}

/** One slice for each family. The server of this machine is ready as soon as it listens. */
function slicesOf(addresses: readonly ListenAddress[]): readonly Sendable<EndpointSlice>[] {
  return (['IPv4', 'IPv6'] as const).flatMap((addressType) => {
    const own = addresses.filter(({ host }) => host.includes(':') === (addressType === 'IPv6'));
    const [first] = own;
    if (first === undefined) return [];
    return [
      {
        metadata: {
          name: `${NAME}-keelson-${addressType.toLowerCase()}`,
          labels: {
            'kubernetes.io/service-name': NAME,
            'endpointslice.kubernetes.io/managed-by': 'keelson.dns',
            [OWNER_LABEL]: OWNER,
          },
        },
        addressType,
        endpoints: own
          .filter(({ port }) => port === first.port)
          .map(({ host }) => ({ addresses: [host], conditions: { ready: true, serving: true, terminating: false } })),
        ports: PORTS.map((port) => ({ ...port, port: first.port })),
      },
    ];
  });
}

function isSame(current: Pick<EndpointSlice, 'endpoints' | 'ports'>, wanted: Sendable<EndpointSlice>): boolean {
  const text = ({ endpoints = [], ports = [] }: Pick<EndpointSlice, 'endpoints' | 'ports'>): string =>
    JSON.stringify([
      endpoints.map(({ addresses }) => addresses),
      ports.map(({ name, protocol, port }) => [name, protocol, port]),
    ]);
  return text(current) === text(wanted as EndpointSlice);
}
