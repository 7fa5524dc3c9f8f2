import { Aggregator } from '../aggregator/index.ts';
import { apiEnablement, type TypeTable } from '../api/index.ts';
import { ReviewPaths, WebhookReviews } from '../admission/index.ts';
import { Definitions } from '../apiextensions/index.ts';
import {
  AuditMetrics,
  type Authentication,
  type Authorization,
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
  ResourceRegistry,
  RootPath,
  SelfClient,
  ServedApi,
  ServerObjects,
  StorageMetrics,
  VersionPath,
  WebhookClient,
} from '../apiserver/index.ts';
import { MetricRegistry, onAbort, RandomUidSource } from '../base/index.ts';
import { type LocalConnections, NodeConnections, type NodeConnectionsOptions, NodeProxy } from '../proxy/index.ts';
import { PriorityAndFairness, type PriorityAndFairnessOptions } from '../fairness/index.ts';
import type { Encryption } from '../encryption/index.ts';
import type { Credential } from '../wire/certificates/index.ts';
import { builtInResources } from '../resources/index.ts';
import { clusterAdmission } from './admission.ts';
import { clusterAuthentication } from './authentication.ts';
import type { ControlPlaneOptions, KubeletSettings } from './control-plane-options.ts';
import { healthChecks } from './health.ts';
import type { ClusterPki } from './pki/cluster-pki.ts';
import { processMetrics, storageSize } from './process-metrics.ts';
import type { OpenStorage } from './storage-options.ts';
import { versionInfo } from './versions.ts';

/** What the server's paths tell of its state. */
export interface ServerState {
  readonly isBootstrapped: () => boolean;
  /** Whether the server is about to stop, and new clients had better go elsewhere. */
  readonly isDraining: () => boolean;
  /** `host:port`, as discovery tells it. */
  readonly address: () => string;
  /** What programs beside the server count. */
  readonly metrics: () => readonly MetricRegistry[];
  /** The nodes of this process. */
  readonly localNodes: LocalConnections;
  /** The certificate that this server shows to servers behind it, as it is now. */
  readonly frontProxyClient: () => Credential;
  /** The same for nodes elsewhere. */
  readonly kubeletClient: () => Credential;
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

/** A server, and what keeps it in step with the definitions of custom kinds and with other servers once it is started. */
export interface RunnableServer {
  readonly server: ApiServer;
  readonly definitions: Definitions;
  /** What the server itself counts. */
  readonly metrics: MetricRegistry;
  /** Absent when it is switched off. */
  readonly fairness: PriorityAndFairness | undefined;
  /** To be disposed of when no more requests come. */
  readonly audit: AsyncDisposable | undefined;
  readonly aggregator: Aggregator;
  /** Makes a token for a Secret of a service account. */
  readonly legacyToken: Authentication['tokenIssuer']['legacyToken'];
}

/** An API server with the built-in resources and all its paths, on an open store. */
export function buildServer(options: ControlPlaneOptions, parts: ServerParts, state: ServerState): RunnableServer {
  const metrics = new MetricRegistry();
  const version = versionInfo();
  processMetrics(metrics, version);
  storageSize(metrics, options.storage);
  const built = withResources(options, parts, { metrics, state });
  const { server, authentication, authorizer, webhooks, nodes, fairness, audit } = built;
  parts.encryption?.countIn(metrics);
  const aggregator = aggregatorOf(server, options, { ...parts, metrics, state });
  const served = new ServedApi(server.registry, aggregator.foreign);
  for (const handler of options.paths ?? []) server.addPaths(handler);
  server.addPaths(new DiscoveryPaths(served, server.documents, state.address));
  server.addPaths(new OpenApiPaths(served, parts.types, aggregator.foreignOpenApi));
  const { store } = parts.storage;
  const isStopping = (): boolean => options.signal.aborted || state.isDraining();
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
    authorizer[Symbol.dispose]();
    webhooks[Symbol.dispose]();
    nodes[Symbol.dispose]();
    aggregator[Symbol.dispose]();
  });
  server.addPaths(new MetricsPath('/metrics', () => [metrics, ...state.metrics()]));
  server.addPaths(new MetricsPath('/metrics/slis', () => [indicators]));
  if (fairness !== undefined) server.addPaths(fairness.paths);
  server.addPaths(new RootPath(served, health.paths));
  const { log, random } = options;
  const { types } = parts;
  return {
    server,
    metrics,
    fairness,
    audit,
    legacyToken: (wish) => authentication.tokenIssuer.legacyToken(wish),
    definitions: new Definitions({ server, types, log, random, webhooks, metrics, signal: state.ending }),
    aggregator,
  };
}

interface AggregatorParts {
  readonly types: TypeTable;
  readonly metrics: MetricRegistry;
  readonly state: ServerState;
}

function aggregatorOf(server: ApiServer, options: ControlPlaneOptions, parts: AggregatorParts): Aggregator {
  const { random, log, certificateClock, localApis, aggregation: { routing, forwardsRedirects } = {} } = options;
  const { types, metrics, state } = parts;
  return new Aggregator({
    server,
    types,
    random,
    log,
    metrics,
    ...(routing === undefined ? {} : { routing }),
    ...(forwardsRedirects === undefined ? {} : { forwardsRedirects }),
    ...(localApis === undefined ? {} : { local: localApis }),
    ...(certificateClock === undefined ? {} : { certificateClock }),
    proxyCertificate: () => {
      const { certificate, privateKey } = state.frontProxyClient();
      return { certificate, key: privateKey };
    },
    signal: state.ending,
  });
}

interface BuiltServer {
  readonly server: ApiServer;
  readonly authentication: Authentication;
  readonly authorizer: Authorization;
  readonly webhooks: WebhookClient;
  readonly nodes: NodeConnections;
  readonly fairness: PriorityAndFairness | undefined;
  readonly audit: AsyncDisposable | undefined;
}

function withResources(
  options: ControlPlaneOptions,
  parts: ServerParts,
  { metrics, state }: { readonly metrics: MetricRegistry; readonly state: ServerState },
): BuiltServer {
  const { storage, types, pki } = parts;
  const { clock, random, log, serviceCidrs, eventTtlSeconds } = options;
  const objects = new ServerObjects({ ...storage, clock, log, metrics: new StorageMetrics(metrics, clock) });
  const uids = new RandomUidSource(random);
  const registry = new ResourceRegistry(objects);
  const self = new SelfClient(clock);
  const update = (path: string, object: object): Promise<void> => self.update(path, object);
  const { localWebhooks: local } = options;
  const asked = local === undefined ? {} : { local };
  const authorizer = authorizationOf(options.authorization ?? {}, {
    ...asked,
    objects,
    types,
    clock,
    uids,
    log,
    metrics,
    more: options.authorizers,
    serverId: options.name,
  });
  const authentication = clusterAuthentication(options, pki, {
    ...asked,
    more: options.authenticators ?? [],
    objects,
    types,
    clock,
    uids,
    log,
    update,
  });
  const services = new EndpointResolver(objects, random);
  const webhooks = new WebhookClient({ clock, uids, types, services, ...asked });
  const reviews = options.devWebhooks === true ? new WebhookReviews(clock) : undefined;
  const fairness = fairnessOf(options, {
    objects,
    metrics,
    prefixOf: ({ group, version, resource }) => registry.find(group, version, resource)?.resource.storage.prefix,
  });
  const auditMetrics = new AuditMetrics(metrics, log);
  const audit =
    options.audit === undefined
      ? undefined
      : openAudit(options.audit, { clock, random, uids, types, log, metrics: auditMetrics });
  const server = new ApiServer({
    objects,
    registry,
    self,
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
    admission: clusterAdmission(options, {
      objects,
      authorizer,
      webhooks,
      metrics,
      registry,
      reviews,
      update,
      create: (collection, object) => self.create(collection, object),
    }),
    audit: {
      ...(options.printRequest === undefined ? {} : { around: requestLines(options.printRequest, clock) }),
      ...(audit === undefined ? {} : { authentication: audit.audit.authentication, stage: audit.audit.stage }),
    },
    limits: options.limits,
    ...(options.interfere === undefined ? {} : { interfere: options.interfere }),
    ...(options.tracedRequests === undefined ? {} : { tracedRequests: options.tracedRequests }),
    ...(fairness === undefined ? {} : { limiter: (encode) => fairness.limiter(encode) }),
  });
  const nodes = nodeConnections(options.kubelets ?? {}, { objects, clock, local: state.localNodes }, state);
  if (reviews !== undefined) server.addPaths(new ReviewPaths(reviews, { client: webhooks, objects }));
  const enablement = apiEnablement(options.runtimeConfig);
  const resources = builtInResources(types, {
    objects,
    random,
    serviceCidrs,
    eventTtlSeconds,
    accessReviewer: { authorizer, rulesFor: (user, namespace) => authorizer.rulesFor(user, namespace) },
    tokenReviewer: authentication.tokenReviewer,
    tokenIssuer: authentication.tokenIssuer,
    nodeConnector: new NodeProxy({ connections: nodes, objects, random, clock }),
    roleGuard: new EscalationGuard(objects, authorizer),
    devWebhooks: options.devWebhooks ?? false,
  });
  registry.register(resources.filter((resource) => enablement.isServed(resource)));
  registry.register(options.resources ?? []);
  return { server, authentication, authorizer, webhooks, nodes, fairness, audit };
}

function nodeConnections(
  { client, authorities, addressTypes }: KubeletSettings,
  parts: Pick<NodeConnectionsOptions, 'objects' | 'clock' | 'local'>,
  state: ServerState,
): NodeConnections {
  return new NodeConnections({
    ...parts,
    certificate: () => {
      const { certificate, privateKey } = client ?? state.kubeletClient();
      return { certificate, key: privateKey };
    },
    ...(authorities === undefined ? {} : { authorities: async () => authorities }),
    ...(addressTypes === undefined ? {} : { addressTypes }),
  });
}

/** Upstream's defaults. */
const SEATS = { maxReads: 400, maxWrites: 200 };
const REQUEST_TIMEOUT_MS = 60_000;

function fairnessOf(
  options: ControlPlaneOptions,
  parts: Pick<PriorityAndFairnessOptions, 'objects' | 'metrics' | 'prefixOf'>,
): PriorityAndFairness | undefined {
  const { clock, random, log, limits, transportLimits } = options;
  if (options.priorityAndFairness === false) return undefined;
  const { maxReads, maxWrites } = { ...SEATS, ...limits };
  const requestTimeoutMs = transportLimits?.requestTimeoutMs ?? REQUEST_TIMEOUT_MS;
  return new PriorityAndFairness({ ...parts, clock, random, log, serverSeats: maxReads + maxWrites, requestTimeoutMs });
}
