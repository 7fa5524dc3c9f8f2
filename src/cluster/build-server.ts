import { apiEnablement, type TypeTable } from '../api/index.ts';
import {
  ApiServer,
  certificateAuthenticator,
  DiscoveryPaths,
  firstOpinion,
  fixedAuthorizer,
  type HealthCheck,
  type HealthChecks,
  HealthPaths,
  mastersAuthorizer,
  MetricsPath,
  OpenApiPaths,
  RootPath,
  ServedApi,
  ServerObjects,
  TokenFileAuthenticator,
  VersionPath,
} from '../apiserver/index.ts';
import { MetricRegistry, RandomUidSource } from '../base/index.ts';
import { builtInAdmission, builtInResources } from '../resources/index.ts';
import type { HealthReporting, Store } from '../store/index.ts';
import type { ControlPlaneOptions } from './control-plane-options.ts';
import type { OpenStorage } from './storage-options.ts';
import { versionInfo } from './versions.ts';

/** What the server's paths tell of its state. */
export interface ServerState {
  readonly isBootstrapped: () => boolean;
  /** `host:port`, as discovery tells it. */
  readonly address: () => string;
}

/** What servers that are forks of each other have in common, or copies of. */
export interface ServerParts {
  readonly storage: OpenStorage;
  readonly types: TypeTable;
}

/** An API server with the built-in resources and all its paths, on an open store. */
export function buildServer(options: ControlPlaneOptions, parts: ServerParts, state: ServerState): ApiServer {
  const metrics = new MetricRegistry();
  const server = withResources(options, parts, metrics);
  const served = new ServedApi(server.registry);
  for (const handler of options.paths ?? []) server.addPaths(handler);
  server.addPaths(new DiscoveryPaths(served, server.documents, state.address));
  server.addPaths(new OpenApiPaths(served, parts.types));
  server.addPaths(new HealthPaths(healthChecks(parts.storage, state.isBootstrapped), options.log));
  server.addPaths(new VersionPath(versionInfo()));
  server.addPaths(new MetricsPath(metrics));
  server.addPaths(new RootPath(served));
  return server;
}

function withResources(options: ControlPlaneOptions, parts: ServerParts, metrics: MetricRegistry): ApiServer {
  const { storage, types } = parts;
  const { clock, random, log, serviceCidrs, eventTtlSeconds } = options;
  const objects = new ServerObjects({ ...storage, clock, log });
  const authorizer = firstOpinion([mastersAuthorizer, ...(options.authorizers ?? []), fixedAuthorizer]);
  const server = new ApiServer({
    objects,
    types,
    clock,
    random,
    uids: new RandomUidSource(random),
    log,
    metrics,
    authenticators: [
      certificateAuthenticator,
      ...(options.tokenFile === undefined ? [] : [new TokenFileAuthenticator(options.tokenFile)]),
      ...(options.authenticators ?? []),
    ],
    authorizer,
    admission: [
      ...builtInAdmission({ objects, clock, random }, options.disableAdmission),
      ...(options.admission ?? []),
    ],
    limits: options.limits,
  });
  const enablement = apiEnablement(options.runtimeConfig);
  const resources = builtInResources(types, {
    objects,
    random,
    serviceCidrs,
    eventTtlSeconds,
    accessReviewer: { authorizer },
  });
  server.registry.register(resources.filter((resource) => enablement.isServed(resource)));
  server.registry.register(options.resources ?? []);
  return server;
}

/** What `/livez` and `/readyz` look at; the names are those of their counterparts in kube-apiserver. */
function healthChecks({ store: storage }: OpenStorage, isBootstrapped: () => boolean): HealthChecks {
  const ping: HealthCheck = { name: 'ping', check: () => undefined };
  const store: HealthCheck = {
    name: 'etcd',
    check: async () => void (await (isHealthReporting(storage) ? storage.checkHealth() : storage.revision())),
  };
  const isDone = (): void => {
    if (!isBootstrapped()) throw new Error('not finished');
  };
  const bootstrap: HealthCheck = { name: 'poststarthook/bootstrap-controller', check: isDone };
  return { livez: [ping, store, bootstrap], readyz: [ping, store, { ...store, name: 'etcd-readiness' }, bootstrap] };
}

function isHealthReporting(store: Store): store is Store & HealthReporting {
  return 'checkHealth' in store;
}
