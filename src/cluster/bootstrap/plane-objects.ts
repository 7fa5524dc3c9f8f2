import { amendPolicy, bootstrapPolicy, type PolicyObject } from '../../access/index.ts';
import type { ApiServer } from '../../apiserver/index.ts';
import { advertisedAddress, apiServiceAddress, hostAndPort } from '../addresses.ts';
import { frontProxyOf } from '../authentication.ts';
import type { ControlPlaneOptions } from '../control-plane-options.ts';
import type { ClusterPki } from '../pki/cluster-pki.ts';
import { apiEndpoints } from './api-endpoints.ts';
import { type BootstrapObjects, bootstrapObjects } from './bootstrap-objects.ts';
import { IdentityLease } from './identity-lease.ts';
import { keepOwnObjects } from './keep-own-objects.ts';
import { type OwnObject, repair } from './own-object.ts';
import { ServerLease } from './server-lease.ts';

export interface PlaneObjectsParts {
  /** The keys and certificates in use. */
  readonly certificates: { readonly pki: ClusterPki };
  /** When it aborts, the objects are no longer repaired, and the leases are removed. */
  readonly stopping: AbortSignal;
}

/** The objects that a control plane creates for itself and repairs: those that every cluster has, and those that announce this server. */
export class PlaneObjects {
  readonly #server: ApiServer;
  readonly #options: ControlPlaneOptions;
  readonly #parts: PlaneObjectsParts;
  readonly #leases: Promise<void>[] = [];

  constructor(server: ApiServer, options: ControlPlaneOptions, parts: PlaneObjectsParts) {
    this.#server = server;
    this.#options = options;
    this.#parts = parts;
  }

  /** Creates what the others need, where it is missing. */
  makeFirst(): Promise<void> {
    return this.#makeAll(this.#wanted().first);
  }

  /** Creates all others that are missing, all at once, so that the store groups the writes. */
  async makeOthers(): Promise<void> {
    const { once, kept } = this.#wanted();
    await Promise.all([
      this.#makeAll([...kept, ...once.filter(({ kind }) => this.#serves(kind))]),
      ensurePolicy(this.#server),
    ]);
  }

  /** From now on creates again what a client deletes, and repairs what a client changes. */
  keep(): void {
    const { first, kept } = this.#wanted();
    this.#keepAll([...first, ...kept]);
  }

  /** Makes the `kubernetes` Service lead here, and publishes the identity of this server. */
  async announce(address: string, port: number): Promise<void> {
    const { storage, hostname = 'localhost', clock, random, log } = this.#options;
    const { stopping } = this.#parts;
    if (storage.type === 'etcd') {
      const lease = new ServerLease(this.#server, { address, port, clock, log });
      await lease.reconcile();
      this.#leases.push(lease.run(stopping));
    } else {
      const endpoints = apiEndpoints({ addresses: [address], port });
      await this.#makeAll(endpoints);
      this.#keepAll(endpoints);
    }
    const { uids } = this.#server.services;
    const identity = { hostname, peerAddress: hostAndPort(address, port), clock, random, uids, log };
    this.#leases.push(new IdentityLease(this.#server, identity).run(stopping));
  }

  /** Resolves when the leases of this server are removed. */
  async ended(): Promise<void> {
    await Promise.all(this.#leases);
  }

  #wanted(): BootstrapObjects {
    return bootstrapObjectsOf(this.#options, this.#parts.certificates.pki);
  }

  async #makeAll(objects: readonly OwnObject[]): Promise<void> {
    await Promise.all(objects.map((own) => repair(this.#server, own)));
  }

  #keepAll(objects: readonly OwnObject[]): void {
    const { clock, log } = this.#options;
    keepOwnObjects(this.#server, objects, { clock, log, signal: this.#parts.stopping });
  }

  #serves({ group, plural, root }: OwnObject['kind']): boolean {
    return this.#server.registry.find(group, root.slice(root.lastIndexOf('/') + 1), plural) !== undefined;
  }
}

/** The port that is advertised until the server has taken a free one. */
const DEFAULT_PORT = 6443;

/** The objects that a control plane with these options and keys begins with. */
function bootstrapObjectsOf(options: ControlPlaneOptions, pki: ClusterPki): BootstrapObjects {
  const {
    clock,
    certificateClock = clock,
    serviceCidrs,
    serving: { listen, advertiseAddress } = {},
    access = {},
    bootstrapObjects: more = [],
  } = options;
  const port = listen?.port ?? 0;
  return bootstrapObjects({
    clock,
    certificateClock,
    advertise: {
      address: advertiseAddress ?? advertisedAddress(listen?.host ?? 'localhost'),
      port: port === 0 ? DEFAULT_PORT : port,
    },
    serviceCidrs,
    more,
    apiServiceAddress: apiServiceAddress(serviceCidrs),
    trusted: {
      clientAuthorities: access.clientAuthorities ?? pki.authority.certificate,
      frontProxy: frontProxyOf(access, pki),
    },
  });
}

const GROUP = 'rbac.authorization.k8s.io';
const ROOT = `/apis/${GROUP}/v1`;

/**
 * Creates the roles and bindings that every cluster has, and adds what is missing in those that exist; does nothing where roles are
 * not served. All are written at once, so that the store groups them into a few transactions.
 */
async function ensurePolicy(server: ApiServer): Promise<void> {
  if (server.registry.find(GROUP, 'v1', 'clusterroles') === undefined) return;
  const known = new Set<string>();
  for (const plural of ['clusterroles', 'clusterrolebindings', 'roles', 'rolebindings'] as const) {
    for (const { metadata } of await server.objects.of(GROUP, plural).newestList()) {
      known.add(`${plural} ${metadata.namespace ?? ''}/${metadata.name ?? ''}`);
    }
  }
  const hasMigrations = server.registry.hasGroup('storagemigration.k8s.io');
  await Promise.all(bootstrapPolicy({ hasMigrations }).map((policy) => ensure(server, policy, known)));
}

async function ensure(server: ApiServer, policy: PolicyObject, known: ReadonlySet<string>): Promise<void> {
  const { plural, object } = policy;
  const { name, namespace = '' } = object.metadata;
  const collection = `${ROOT}/${namespace === '' ? '' : `namespaces/${namespace}/`}${plural}`;
  const isThere = known.has(`${plural} ${namespace}/${name}`);
  if (!isThere && (await server.self.create(collection, object))) return;
  const kind = { group: GROUP, plural, root: ROOT };
  await repair(server, { kind, object, amend: (current) => amendPolicy(policy, current) });
}
