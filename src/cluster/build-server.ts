import { apiEnablement, type TypeTable } from '../api/index.ts';
import { Definitions } from '../apiextensions/index.ts';
import {
  AuditMetrics,
  type Authentication,
  authorizationOf,
  EscalationGuard,
  impersonate,
  ImpersonationMetrics,
  openAudit,
  requestLines,
} from '../access/index.ts';
import {
  ApiServer,
  DiscoveryPaths,
  EndpointResolver,
  HealthPaths,
  MetricsPath,
  OpenApiPaths,
  RootPath,
  ServedApi,
  ServerObjects,
  StorageMetrics,
  VersionPath,
  WebhookClient,
} from '../apiserver/index.ts';
import { MetricRegistry, onAbort, RandomUidSource } from '../base/index.ts';
import type { Encryption } from '../encryption/index.ts';
import { builtInResources } from '../resources/index.ts';
import { clusterAdmission } from './admission.ts';
import { clusterAuthentication } from './authentication.ts';
import type { ControlPlaneOptions } from './control-plane-options.ts';
import { healthChecks } from './health.ts';
import type { ClusterPki } from './pki/cluster-pki.ts';
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
  /** Aborts when the server is disposed of. */
  readonly ending: AbortSignal;
}

/** What servers that are forks of each other have in common, or copies of. */
export interface ServerParts {
  readonly storage: OpenStorage;
  readonly types: TypeTable;
  readonly pki: ClusterPki;
  readonly encryption?: Encryption;
}

/** A server, and what keeps it in step with the definitions of custom kinds once it is started. */
export interface RunnableServer {
  readonly server: ApiServer;
  readonly definitions: Definitions;
  /** To be disposed of when no more requests come. */
  readonly audit: AsyncDisposable | undefined;
}

/** An API server with the built-in resources and all its paths, on an open store. */
export function buildServer(options: ControlPlaneOptions, parts: ServerParts, state: ServerState): RunnableServer {
  const metrics = new MetricRegistry();
  const version = versionInfo();
  processMetrics(metrics, version);
  storageSize(metrics, options.storage);
  parts.encryption?.countIn(metrics);
  const { server, authentication, webhooks, audit } = withResources(options, parts, metrics);
  const served = new ServedApi(server.registry);
  for (const handler of options.paths ?? []) server.addPaths(handler);
  server.addPaths(new DiscoveryPaths(served, server.documents, state.address));
  server.addPaths(new OpenApiPaths(served, parts.types));
  const { store } = parts.storage;
  const isStopping = (): boolean => options.signal.aborted;
  const indicators = new MetricRegistry();
  const health = new HealthPaths(healthChecks({ ...state, store, isStopping, more: parts.encryption?.healthChecks }), {
    indicators,
    log: options.log,
  });
  server.addPaths(health);
  server.addPaths(new VersionPath(version));
  server.addPaths(authentication.issuerDiscovery(state.address));
  onAbort(state.ending, () => {
    authentication[Symbol.dispose]();
    webhooks[Symbol.dispose]();
  });
  server.addPaths(new MetricsPath('/metrics', () => [metrics, ...state.metrics()]));
  server.addPaths(new MetricsPath('/metrics/slis', () => [indicators]));
  server.addPaths(new RootPath(served, health.paths));
  const { log, random } = options;
  const { types } = parts;
  return {
    server,
    audit,
    definitions: new Definitions({ server, types, log, random, webhooks, metrics, signal: state.ending }),
  };
}

interface BuiltServer {
  readonly server: ApiServer;
  readonly authentication: Authentication;
  readonly webhooks: WebhookClient;
  readonly audit: AsyncDisposable | undefined;
}

function withResources(options: ControlPlaneOptions, parts: ServerParts, metrics: MetricRegistry): BuiltServer {
  const { storage, types, pki } = parts;
  const { clock, random, log, serviceCidrs, eventTtlSeconds } = options;
  const objects = new ServerObjects({ ...storage, clock, log, metrics: new StorageMetrics(metrics, clock) });
  const authorizer = authorizationOf(options.authorization ?? {}, { objects, more: options.authorizers });
  const uids = new RandomUidSource(random);
  const authentication = clusterAuthentication(options, pki, {
    more: options.authenticators ?? [],
    objects,
    types,
    clock,
    uids,
    log,
    update: (path, object) => server.self.update(path, object),
  });
  const webhooks = new WebhookClient({ clock, uids, types, services: new EndpointResolver(objects, random) });
  const auditMetrics = new AuditMetrics(metrics, log);
  const audit =
    options.audit === undefined
      ? undefined
      : openAudit(options.audit, { clock, random, uids, types, log, metrics: auditMetrics });
  const server: ApiServer = new ApiServer({
    objects,
    types,
    clock,
    random,
    uids,
    log,
    metrics,
    authenticators: authentication.authenticators,
    hiddenHeaders: authentication.isProxyHeader,
    impersonate: (encode) => impersonate({ authorizer, metrics: new ImpersonationMetrics(metrics, clock) }, encode),
    authorizer,
    anonymousAuth: authentication.anonymous ?? options.anonymousAuth,
    admission: clusterAdmission(options, { objects, authorizer, webhooks, metrics, registry: () => server.registry }),
    audit: {
      ...(options.printRequest === undefined ? {} : { around: requestLines(options.printRequest, clock) }),
      ...(audit === undefined ? {} : { authentication: audit.audit.authentication, stage: audit.audit.stage }),
    },
    limits: options.limits,
  });
  const enablement = apiEnablement(options.runtimeConfig);
  const resources = builtInResources(types, {
    objects,
    random,
    serviceCidrs,
    eventTtlSeconds,
    accessReviewer: { authorizer, rulesFor: authorizer.rulesFor },
    tokenReviewer: authentication.tokenReviewer,
    tokenIssuer: authentication.tokenIssuer,
    roleGuard: new EscalationGuard(objects, authorizer),
  });
  server.registry.register(resources.filter((resource) => enablement.isServed(resource)));
  server.registry.register(options.resources ?? []);
  return { server, authentication, webhooks, audit };
}
