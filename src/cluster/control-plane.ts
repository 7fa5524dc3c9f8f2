import { builtInTypes } from '../api/index.ts';
import { type ApiServer, type HttpTransport, listen } from '../apiserver/index.ts';
import type { MetricRegistry } from '../base/index.ts';
import { Client, type ClientOptions } from '../client/index.ts';
import { advertisedAddress, apiServiceAddress, isUnspecified, type ListenAddress } from './addresses.ts';
import { bootstrapObjects, publishApiEndpoints } from './bootstrap/bootstrap-objects.ts';
import { buildServer, type ServerParts } from './build-server.ts';
import type { ControlPlaneOptions } from './control-plane-options.ts';
import { InProcessTransport } from './in-process-transport.ts';
import type { ClusterAccess } from './kubeconfig.ts';
import { clusterPki, type ClusterPki } from './pki/cluster-pki.ts';
import { forkStorage, openStorage } from './storage-options.ts';

/** What a fork has of its own. */
export type ForkOptions = Pick<ControlPlaneOptions, 'clock' | 'random' | 'signal'>;

/** Who a client in this process is, as a certificate would say. */
export interface Identity {
  readonly user: string;
  readonly groups: readonly string[];
}

/** Starts the store, the API server and the objects every cluster has; resolves when clients can come. */
export async function startControlPlane(options: ControlPlaneOptions): Promise<ControlPlane> {
  const [storage, pki] = await Promise.all([openStorage(options.storage, options), openPki(options)]);
  const plane = new ControlPlane(options, { storage, pki, types: builtInTypes() });
  try {
    await plane.bootstrap();
    if (options.listen !== undefined) await plane.listen(options.listen);
    return plane;
  } catch (error) {
    await plane[Symbol.asyncDispose]();
    throw error;
  }
}

/** A running control plane. Disposing of it ends all requests, then closes the store. */
export class ControlPlane implements AsyncDisposable {
  readonly server: ApiServer;
  readonly pki: ClusterPki;
  readonly #options: ControlPlaneOptions;
  readonly #parts: ServerParts & { readonly pki: ClusterPki };
  #isBootstrapped = false;
  #transport: HttpTransport | undefined;
  #address = '';
  readonly #metricSources: (() => readonly MetricRegistry[])[] = [];

  /** Use `startControlPlane`. */
  constructor(options: ControlPlaneOptions, parts: ServerParts & { readonly pki: ClusterPki }) {
    this.#options = options;
    this.#parts = parts;
    this.pki = parts.pki;
    this.server = buildServer(options, parts, {
      isBootstrapped: () => this.#isBootstrapped,
      address: () => this.#address,
      metrics: () => this.#metricSources.flatMap((source) => source()),
    });
  }

  get isListening(): boolean {
    return this.#transport !== undefined;
  }

  get url(): string {
    return this.#listening().url;
  }

  /** How the cluster's administrator reaches it over the network. */
  get access(): ClusterAccess {
    const { url, address } = this.#listening();
    const { name, listen: place } = this.#options;
    return {
      name,
      server: isUnspecified(place?.host ?? '') ? `https://127.0.0.1:${address.port}` : url,
      certificateAuthority: this.pki.authority.certificate,
      client: this.pki.admin,
    };
  }

  /** A client straight into the server: the same stages as any other's requests, no sockets. */
  client({ user, groups }: Identity, options: ClientOptions = {}): Client {
    const { clock, random, log } = this.#options;
    const certificate = { commonName: user, organizations: groups };
    return new Client(new InProcessTransport(this.server, { clock, certificate }), { clock, random, log, ...options });
  }

  /** For `startControlPlane`: makes the objects that every cluster has, unless they are there. */
  async bootstrap(): Promise<void> {
    const { serviceCidrs, listen: place, advertiseAddress } = this.#options;
    const port = place?.port ?? 0;
    const objects = bootstrapObjects({
      advertise: {
        address: advertiseAddress ?? advertisedAddress(place?.host ?? 'localhost'),
        port: port === 0 ? 6443 : port,
      },
      serviceCidrs,
      apiServiceAddress: apiServiceAddress(serviceCidrs),
      pki: this.pki,
    });
    for (const { path, object } of objects) await this.server.self.ensure(path, object);
    this.#isBootstrapped = true;
  }

  /** Shows at `/metrics` also what others in this process count. */
  addMetrics(source: () => readonly MetricRegistry[]): void {
    this.#metricSources.push(source);
  }

  /** Opens a port. Once only. */
  async listen(place: ListenAddress): Promise<void> {
    if (this.#transport !== undefined) throw new Error(`Cannot listen: the server listens at ${this.#transport.url}`);
    const { clock, log, signal, serving = this.pki.serving, clientAuthorities, transportLimits } = this.#options;
    this.#transport = await listen(this.server, {
      ...place,
      serving: { certificate: serving.certificate, key: serving.privateKey },
      clientAuthorities: clientAuthorities ?? this.pki.authority.certificate,
      clock,
      uids: this.server.services.uids,
      log,
      limits: transportLimits,
      observer: this.server.observer,
      signal,
    });
    const address = this.#options.advertiseAddress ?? advertisedAddress(place.host);
    const { port } = this.#transport.address;
    this.#address = `${address}:${port}`;
    await publishApiEndpoints(this.server, { address, port });
  }

  /** An independent copy as of now, without a port; only of control planes whose store is in memory. */
  fork(options: ForkOptions): ControlPlane {
    const { listen: _, ...own } = this.#options;
    const copy = new ControlPlane(
      { ...own, ...options },
      { ...this.#parts, storage: forkStorage(this.#parts.storage, options) },
    );
    copy.#isBootstrapped = true;
    return copy;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#transport?.[Symbol.asyncDispose]();
    this.server.objects[Symbol.dispose]();
    await this.#parts.storage.store[Symbol.asyncDispose]();
  }

  #listening(): HttpTransport {
    if (this.#transport === undefined) throw new Error('Cannot tell where the server listens: it does not listen');
    return this.#transport;
  }
}

function openPki(options: ControlPlaneOptions): Promise<ClusterPki> {
  const { certificateClock: clock = options.clock, random, pkiFolder: folder, listen: place } = options;
  const servingNames = [
    'localhost',
    '127.0.0.1',
    '::1',
    'kubernetes',
    'kubernetes.default',
    'kubernetes.default.svc',
    'kubernetes.default.svc.cluster.local',
    apiServiceAddress(options.serviceCidrs),
    ...(place === undefined || isUnspecified(place.host) ? [] : [place.host]),
    ...(options.servingNames ?? []),
  ];
  return clusterPki({ clock, random, folder, servingNames: [...new Set(servingNames)] });
}
