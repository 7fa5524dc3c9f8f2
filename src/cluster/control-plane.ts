import { apiEnablement, builtInTypes, formatIp, parseCidr } from '../api/index.ts';
import type { RuntimeConfig } from '../api/index.ts';
import {
  ApiServer,
  certificateAuthenticator,
  DiscoveryPaths,
  fixedAuthorizer,
  HealthPaths,
  listen,
  MetricsPath,
  OpenApiPaths,
  RootPath,
  ServedApi,
  TokenFileAuthenticator,
  VersionPath,
} from '../apiserver/index.ts';
import type { HttpTransport, ServerLimits, TransportLimits } from '../apiserver/index.ts';
import { MetricRegistry, RandomUidSource } from '../base/index.ts';
import type { Clock, Logger, Random } from '../base/index.ts';
import { builtInResources, namespaceLifecycle } from '../resources/index.ts';
import { publishApiEndpoints } from './bootstrap/api-endpoints.ts';
import { bootstrapObjects } from './bootstrap/bootstrap-objects.ts';
import { healthChecks } from './health.ts';
import type { ClusterAccess } from './kubeconfig.ts';
import { Loopback } from './loopback.ts';
import type { Credential } from './pki/certificate.ts';
import { clusterPki } from './pki/cluster-pki.ts';
import type { ClusterPki } from './pki/cluster-pki.ts';
import { openStorage } from './storage-options.ts';
import type { OpenStorage, StorageOptions } from './storage-options.ts';
import { versionInfo } from './versions.ts';

export interface ControlPlaneOptions {
  readonly name: string;
  readonly storage: StorageOptions;
  /** Where to listen; port 0 takes any that is free. */
  readonly listen: { readonly host: string; readonly port: number };
  /** More names and addresses that clients reach the server by. */
  readonly servingNames?: readonly string[];
  /** Where keys and certificates are kept; undefined keeps them in memory. */
  readonly pkiFolder?: string;
  /** Shown to clients instead of a certificate of our own making. */
  readonly serving?: Credential;
  /** PEM of authorities whose client certificates count, instead of our own. */
  readonly clientAuthorities?: string;
  /** Lines `token,user,uid,"groups"`. */
  readonly tokenFile?: string;
  readonly runtimeConfig: RuntimeConfig;
  readonly serviceCidrs: readonly string[];
  readonly eventTtlSeconds?: number;
  readonly limits?: Partial<ServerLimits>;
  readonly transportLimits?: Partial<TransportLimits>;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  /** Begins the orderly stop. */
  readonly signal: AbortSignal;
}

/** A running control plane. Disposing of it ends all requests, then closes the store. */
export class ControlPlane implements AsyncDisposable {
  readonly server: ApiServer;
  readonly access: ClusterAccess;
  readonly pki: ClusterPki;
  readonly #transport: HttpTransport;
  readonly #storage: OpenStorage;

  constructor(parts: {
    readonly server: ApiServer;
    readonly access: ClusterAccess;
    readonly pki: ClusterPki;
    readonly transport: HttpTransport;
    readonly storage: OpenStorage;
  }) {
    this.server = parts.server;
    this.access = parts.access;
    this.pki = parts.pki;
    this.#transport = parts.transport;
    this.#storage = parts.storage;
  }

  get url(): string {
    return this.#transport.url;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#transport[Symbol.asyncDispose]();
    await this.#storage.store[Symbol.asyncDispose]();
  }
}

/** Starts the store, the API server and the objects every cluster has; resolves when clients can come. */
export async function startControlPlane(options: ControlPlaneOptions): Promise<ControlPlane> {
  const [storage, pki] = await Promise.all([openStorage(options.storage, options), openPki(options)]);
  try {
    return await assemble(options, storage, pki);
  } catch (error) {
    await storage.store[Symbol.asyncDispose]();
    throw error;
  }
}

function openPki(options: ControlPlaneOptions): Promise<ClusterPki> {
  const { clock, random, pkiFolder: folder } = options;
  const servingNames = [
    'localhost',
    '127.0.0.1',
    '::1',
    'kubernetes',
    'kubernetes.default',
    'kubernetes.default.svc',
    'kubernetes.default.svc.cluster.local',
    apiServiceAddress(options.serviceCidrs),
    ...(isUnspecified(options.listen.host) ? [] : [options.listen.host]),
    ...(options.servingNames ?? []),
  ];
  return clusterPki({ clock, random, folder, servingNames: [...new Set(servingNames)] });
}

async function assemble(options: ControlPlaneOptions, storage: OpenStorage, pki: ClusterPki): Promise<ControlPlane> {
  const { clock, log, signal, serving = pki.serving } = options;
  const metrics = new MetricRegistry();
  const server = buildServer(options, storage, metrics);
  const loopback = new Loopback(server, clock);
  const state = { isBootstrapped: false };
  let address = '';
  addPaths(server, { metrics, storage, isBootstrapped: () => state.isBootstrapped, address: () => address });
  await bootstrap(loopback, options, pki);
  const transport = await listen(server, {
    ...options.listen,
    serving: { certificate: serving.certificate, key: serving.privateKey },
    clientAuthorities: options.clientAuthorities ?? pki.authority.certificate,
    clock,
    uids: server.services.uids,
    log,
    limits: options.transportLimits,
    signal,
  });
  const advertised = advertisedAddress(options.listen.host);
  address = `${advertised}:${transport.address.port}`;
  await publishApiEndpoints(loopback, { address: advertised, port: transport.address.port });
  state.isBootstrapped = true;
  const access: ClusterAccess = {
    name: options.name,
    server: isUnspecified(options.listen.host) ? `https://127.0.0.1:${transport.address.port}` : transport.url,
    certificateAuthority: pki.authority.certificate,
    client: pki.admin,
  };
  return new ControlPlane({ server, access, pki, transport, storage });
}

function buildServer(options: ControlPlaneOptions, storage: OpenStorage, metrics: MetricRegistry): ApiServer {
  const { clock, random, log, serviceCidrs, eventTtlSeconds } = options;
  const types = builtInTypes();
  const { store, codecFor } = storage;
  const server = new ApiServer({
    store,
    codecFor,
    types,
    clock,
    random,
    uids: new RandomUidSource(random),
    log,
    metrics,
    authenticators: [
      certificateAuthenticator,
      ...(options.tokenFile === undefined ? [] : [new TokenFileAuthenticator(options.tokenFile)]),
    ],
    authorizer: fixedAuthorizer,
    admission: [namespaceLifecycle({ store, types, codecFor, clock })],
    limits: options.limits,
  });
  const enablement = apiEnablement(options.runtimeConfig);
  const resources = builtInResources(types, {
    store,
    codecFor,
    random,
    serviceCidrs,
    eventTtlSeconds,
    accessReviewer: { authorizer: fixedAuthorizer },
  });
  for (const resource of resources) {
    if (enablement.isServed(resource)) server.registry.add(resource);
  }
  return server;
}

function addPaths(
  server: ApiServer,
  parts: {
    readonly metrics: MetricRegistry;
    readonly storage: OpenStorage;
    readonly isBootstrapped: () => boolean;
    readonly address: () => string;
  },
): void {
  const served = new ServedApi(server.registry, server.services.types);
  server.addPaths(new DiscoveryPaths(served, server.documents, parts.address));
  server.addPaths(new OpenApiPaths(served));
  server.addPaths(new HealthPaths(healthChecks(parts)));
  server.addPaths(new VersionPath(versionInfo()));
  server.addPaths(new MetricsPath(parts.metrics));
  server.addPaths(new RootPath(served));
}

async function bootstrap(loopback: Loopback, options: ControlPlaneOptions, pki: ClusterPki): Promise<void> {
  const { serviceCidrs, listen: place } = options;
  const objects = bootstrapObjects({
    advertise: { address: advertisedAddress(place.host), port: place.port === 0 ? 6443 : place.port },
    serviceCidrs,
    apiServiceAddress: apiServiceAddress(serviceCidrs),
    pki,
  });
  for (const { path, object } of objects) await loopback.ensure(path, object);
}

/** The first address of the service network, which the `kubernetes` Service has. */
function apiServiceAddress([cidr = '']: readonly string[]): string {
  const network = parseCidr(cidr);
  if (network === undefined) throw new Error(`Cannot use service network "${cidr}": it is not a CIDR`);
  const bytes = network.address.bytes.with(-1, (network.address.bytes.at(-1) ?? 0) + 1);
  return formatIp({ ...network.address, bytes });
}

function isUnspecified(host: string): boolean {
  return host === '0.0.0.0' || host === '::';
}

function advertisedAddress(host: string): string {
  return isUnspecified(host) || host === 'localhost' ? '127.0.0.1' : host;
}
