import { authorizationOf, EscalationGuard } from '../access/index.ts';
import { apiEnablement, type TypeTable } from '../api/index.ts';
import {
  ApiServer,
  certificateAuthenticator,
  DiscoveryPaths,
  HealthPaths,
  MetricsPath,
  OpenApiPaths,
  RootPath,
  ServedApi,
  ServerObjects,
  StorageMetrics,
  TokenFileAuthenticator,
  VersionPath,
} from '../apiserver/index.ts';
import { MetricRegistry, RandomUidSource } from '../base/index.ts';
import { builtInAdmission, builtInResources } from '../resources/index.ts';
import type { ControlPlaneOptions } from './control-plane-options.ts';
import { healthChecks } from './health.ts';
import { processMetrics, storageSize } from './process-metrics.ts';
import type { OpenStorage } from './storage-options.ts';
import { versionInfo } from './versions.ts';

/** What the server's paths tell of its state. */
export interface ServerState {
  readonly isBootstrapped: () => boolean;
  /** `host:port`, as discovery tells it. */
  readonly address: () => string;
  /** What programs beside the server count. */
  readonly metrics: () => readonly MetricRegistry[];
}

/** What servers that are forks of each other have in common, or copies of. */
export interface ServerParts {
  readonly storage: OpenStorage;
  readonly types: TypeTable;
}

/** An API server with the built-in resources and all its paths, on an open store. */
export function buildServer(options: ControlPlaneOptions, parts: ServerParts, state: ServerState): ApiServer {
  const metrics = new MetricRegistry();
  const version = versionInfo();
  processMetrics(metrics, version);
  storageSize(metrics, options.storage);
  const server = withResources(options, parts, metrics);
  const served = new ServedApi(server.registry);
  for (const handler of options.paths ?? []) server.addPaths(handler);
  server.addPaths(new DiscoveryPaths(served, server.documents, state.address));
  server.addPaths(new OpenApiPaths(served, parts.types));
  const { store } = parts.storage;
  const isStopping = (): boolean => options.signal.aborted;
  const indicators = new MetricRegistry();
  const health = new HealthPaths(healthChecks({ ...state, store, isStopping }), { indicators, log: options.log });
  server.addPaths(health);
  server.addPaths(new VersionPath(version));
  server.addPaths(new MetricsPath('/metrics', () => [metrics, ...state.metrics()]));
  server.addPaths(new MetricsPath('/metrics/slis', () => [indicators]));
  server.addPaths(new RootPath(served, health.paths));
  return server;
}

function withResources(options: ControlPlaneOptions, parts: ServerParts, metrics: MetricRegistry): ApiServer {
  const { storage, types } = parts;
  const { clock, random, log, serviceCidrs, eventTtlSeconds } = options;
  const objects = new ServerObjects({ ...storage, clock, log, metrics: new StorageMetrics(metrics, clock) });
  const authorizer = authorizationOf(options.authorization ?? {}, { objects, more: options.authorizers });
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
    anonymousAuth: options.anonymousAuth,
    admission: [
      ...builtInAdmission(
        { objects, clock, random, authorizer },
        { enable: options.enableAdmission ?? [], disable: options.disableAdmission ?? [] },
      ),
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
    accessReviewer: { authorizer, rulesFor: authorizer.rulesFor },
    roleGuard: new EscalationGuard(objects, authorizer),
  });
  server.registry.register(resources.filter((resource) => enablement.isServed(resource)));
  server.registry.register(options.resources ?? []);
  return server;
}
