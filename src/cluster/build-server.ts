import { type Aggregator, ServiceRoutes } from '../aggregator/index.ts';
import { apiEnablement, type TypeTable } from '../api/index.ts';
import { ReviewPaths, WebhookReviews } from '../admission/index.ts';
import { Definitions } from '../apiextensions/index.ts';
import { EscalationGuard, impersonate, ImpersonationMetrics, requestLines } from '../access/index.ts';
import {
  type AdmissionPlugin,
  ApiServer,
  DiscoveryPaths,
  HealthPaths,
  MetricsPath,
  OpenApiPaths,
  PastPaths,
  ResourceRegistry,
  RootPath,
  SelfClient,
  ServedApi,
  ServerObjects,
  StorageMetrics,
  VersionPath,
  WebhookClient,
} from '../apiserver/index.ts';
import { MetricRegistry, millisecondsOf, onAbort, RandomUidSource, type UidSource } from '../base/index.ts';
import type { Encryption } from '../encryption/index.ts';
import { PriorityAndFairness } from '../fairness/index.ts';
import { type NodeConnections, NodeProxy } from '../proxy/index.ts';
import { builtInResources } from '../resources/index.ts';
import type { SchedulingAttempts } from '../scheduler/why/scheduling-attempts.ts';
import type { Dialer } from '../wire/http/index.ts';
import { type Access, openAccess } from './access.ts';
import { clusterAdmission } from './admission.ts';
import { openAggregator } from './aggregation.ts';
import type { ControlPlaneOptions } from './control-plane-options.ts';
import { healthChecks } from './health.ts';
import { kubeletConnections } from './kubelet-connections.ts';
import type { LocalNodes } from './local-nodes.ts';
import type { PlaneCertificates } from './plane-certificates.ts';
import { PodRoutes } from './pod-routes.ts';
import { PROCESS_STARTED_AT_MS, processMetrics, storageSize } from './process-metrics.ts';
import { SchedulingPaths } from './scheduling-paths.ts';
import type { ServingMetrics, ServingState } from './serving-state.ts';
import type { OpenStorage } from './storage-options.ts';
import { versionInfo } from './versions.ts';

/** What exists before the server: what the phases of storage and keys have opened, and what changes while it runs. */
export interface ServerGround {
  readonly storage: OpenStorage;
  readonly encryption?: Encryption;
  readonly types: TypeTable;
  readonly certificates: PlaneCertificates;
  readonly state: ServingState;
  readonly metrics: ServingMetrics;
  /** The nodes of this process. */
  readonly localNodes: LocalNodes;
  /** Why pods went to their nodes, or to none, as a scheduler of this process records it. */
  readonly attempts: SchedulingAttempts;
  /** Aborts when the server is disposed of. */
  readonly ending: AbortSignal;
}

/** A server, and what keeps it in step with the definitions of custom kinds and with other servers once it is started. */
export interface RunnableServer {
  readonly server: ApiServer;
  readonly access: Access;
  /** Absent when it is switched off. */
  readonly fairness: PriorityAndFairness | undefined;
  readonly definitions: Definitions;
  readonly aggregator: Aggregator;
}

/**
 * An API server with the built-in resources and all its paths, on an open store.
 *
 * Phases, each of which takes what the earlier ones returned: registry, access, resources, admission, server, what the server
 * itself controls, paths.
 */
export function buildServer(options: ControlPlaneOptions, ground: ServerGround): RunnableServer {
  const core = openRegistry(options, ground);
  const access = openServerAccess(options, ground, core);
  const nodes = registerResources(options, ground, { core, access });
  const admission = openAdmission(options, core, access);
  const fairness = openFairness(options, core);
  const server = openServer(options, { core, access, admission, fairness });
  const controlled = openControlled(options, ground, { server, admission, dialer: core.dialer });
  addPaths(options, ground, { server, access, admission, fairness, controlled });
  onAbort(ground.ending, () => {
    access.authentication[Symbol.dispose]();
    access.authorizer[Symbol.dispose]();
    admission.webhooks[Symbol.dispose]();
    nodes[Symbol.dispose]();
    controlled.aggregator[Symbol.dispose]();
  });
  return { server, access, fairness, ...controlled };
}

/** What is there before any resource is: stored objects, the table of resources, and how the server itself writes. */
interface ServerCore {
  readonly objects: ServerObjects;
  readonly registry: ResourceRegistry;
  readonly self: SelfClient;
  /** Decides how the server reaches addresses of webhooks, other API servers and pods. */
  readonly dialer: Dialer;
  readonly uids: UidSource;
  readonly types: TypeTable;
  readonly metrics: MetricRegistry;
}

function openRegistry({ clock, random, log, storage, serving }: ControlPlaneOptions, ground: ServerGround): ServerCore {
  const metrics = ground.metrics.own;
  processMetrics(metrics, versionInfo(ground.types.version, serving?.reportedVersion));
  storageSize(metrics, storage);
  ground.encryption?.countIn(metrics);
  const objects = new ServerObjects({ ...ground.storage, clock, log, metrics: new StorageMetrics(metrics, clock) });
  return {
    objects,
    registry: new ResourceRegistry(objects),
    self: new SelfClient(clock),
    dialer: new PodRoutes(objects, ground.localNodes),
    uids: new RandomUidSource(random),
    types: ground.types,
    metrics,
  };
}

function openServerAccess(options: ControlPlaneOptions, { certificates }: ServerGround, core: ServerCore): Access {
  const { name: serverId, access = {}, local, clock, random, log } = options;
  const { pki } = certificates;
  const { self, dialer: _, ...parts } = core;
  const update = (path: string, object: object): Promise<void> => self.update(path, object);
  return openAccess(access, { ...parts, pki, clock, random, log, serverId, update, local: local?.webhooks });
}

/** Registers the built-in resources that are switched on, and those of extensions; returns the connections that some of them use. */
function registerResources(
  options: ControlPlaneOptions,
  { certificates, localNodes }: ServerGround,
  { core, access }: { readonly core: ServerCore; readonly access: Access },
): NodeConnections {
  const { clock, random, serviceCidrs, runtimeConfig, storage, kubelets = {}, admission, extensions } = options;
  const { objects, registry, types, dialer } = core;
  const { authentication, authorizer } = access;
  const nodes = kubeletConnections(kubelets, { objects, clock, local: localNodes, dialer, certificates });
  const enablement = apiEnablement(runtimeConfig, types.version);
  const resources = builtInResources(types, {
    objects,
    random,
    clock,
    serviceCidrs,
    eventTtlSeconds: storage.eventTtl === undefined ? undefined : Math.round(millisecondsOf(storage.eventTtl) / 1000),
    accessReviewer: { authorizer, rulesFor: (user, namespace) => authorizer.rulesFor(user, namespace) },
    tokenReviewer: authentication.tokenReviewer,
    tokenIssuer: authentication.tokenIssuer,
    nodeConnector: new NodeProxy({ connections: nodes, objects, random, clock }),
    roleGuard: new EscalationGuard(objects, authorizer),
    devWebhooks: admission?.devWebhooks ?? false,
  });
  registry.register(resources.filter((resource) => enablement.isServed(resource)));
  registry.register(extensions?.resources ?? []);
  return nodes;
}

interface ServerAdmission {
  readonly plugins: readonly AdmissionPlugin[];
  readonly webhooks: WebhookClient;
  /** Absent where reviews are not kept. */
  readonly reviews: WebhookReviews | undefined;
}

function openAdmission(options: ControlPlaneOptions, core: ServerCore, { authorizer }: Access): ServerAdmission {
  const { admission = {}, aggregation, local, clock, random, log } = options;
  const { objects, self, uids, types, dialer } = core;
  const services = new ServiceRoutes(objects, random, aggregation?.routing ?? 'reachable');
  const webhooks = new WebhookClient({ clock, uids, types, services, dialer, local: local?.webhooks });
  const reviews = admission.devWebhooks === true ? new WebhookReviews(clock) : undefined;
  const plugins = clusterAdmission(admission, {
    ...core,
    clock,
    random,
    log,
    authorizer,
    webhooks,
    reviews,
    update: (path, object) => self.update(path, object),
    create: (collection, object) => self.create(collection, object),
  });
  return { plugins, webhooks, reviews };
}

/** Upstream's defaults. */
const SEATS = { maxReads: 400, maxWrites: 200 };
const REQUEST_TIMEOUT_MS = 60_000;

function openFairness(
  { serving = {}, clock, random, log }: ControlPlaneOptions,
  { objects, registry, metrics }: ServerCore,
): PriorityAndFairness | undefined {
  if (serving.priorityAndFairness === false) return undefined;
  const { maxReads, maxWrites } = { ...SEATS, ...serving.limits };
  return new PriorityAndFairness({
    objects,
    metrics,
    prefixOf: ({ group, version, resource }) => registry.find(group, version, resource)?.resource.storage.prefix,
    clock,
    random,
    log,
    serverSeats: maxReads + maxWrites,
    requestTimeoutMs: millisecondsOf(serving.transportLimits?.requestTimeout ?? REQUEST_TIMEOUT_MS),
  });
}

interface ServerStages {
  readonly core: ServerCore;
  readonly access: Access;
  readonly admission: ServerAdmission;
  readonly fairness: PriorityAndFairness | undefined;
}

function openServer(options: ControlPlaneOptions, stages: ServerStages): ApiServer {
  const { clock, random, log, serving, tracing: { printRequest, tracedRequests } = {}, local } = options;
  const { core, access, admission, fairness } = stages;
  const { authentication, authorizer, audit } = access;
  const { metrics } = core;
  return new ApiServer({
    ...core,
    clock,
    random,
    log,
    authenticators: authentication.authenticators,
    hiddenHeaders: authentication.isProxyHeader,
    impersonate: (encode) => impersonate({ authorizer, metrics: new ImpersonationMetrics(metrics, clock) }, encode),
    authorizer,
    anonymousAuth: authentication.anonymous ?? allowsAnonymous(options),
    admission: admission.plugins,
    audit: {
      ...(printRequest === undefined ? {} : { around: requestLines(printRequest, clock) }),
      ...(audit === undefined ? {} : { authentication: audit.audit.authentication, stage: audit.audit.stage }),
    },
    limits: serving?.limits,
    interfere: local?.interfere,
    tracedRequests,
    ...(fairness === undefined ? {} : { limiter: (encode) => fairness.limiter(encode) }),
  });
}

/** As in kube-apiserver, requests without credentials are refused where the mode AlwaysAllow would allow them everything. */
function allowsAnonymous({ access = {}, log }: ControlPlaneOptions): boolean {
  const { anonymousAuth = true, authorization } = access;
  if (!anonymousAuth || authorization?.modes?.includes('AlwaysAllow') !== true) return anonymousAuth;
  log.warn('anonymous requests are refused: the authorization mode AlwaysAllow would allow them everything');
  return false;
}

/** What turns objects of the server into what it serves: custom kinds, and API servers behind this one. */
interface ControlledParts {
  readonly definitions: Definitions;
  readonly aggregator: Aggregator;
}

interface ControlledSources {
  readonly server: ApiServer;
  readonly admission: ServerAdmission;
  readonly dialer: Dialer;
}

function openControlled(
  { aggregation = {}, local, certificateClock, random, log }: ControlPlaneOptions,
  { types, certificates, metrics: { own: metrics }, ending: signal }: ServerGround,
  { server, admission: { webhooks }, dialer }: ControlledSources,
): ControlledParts {
  const common = { server, types, random, log, metrics, signal };
  return {
    definitions: new Definitions({ ...common, webhooks }),
    aggregator: openAggregator(aggregation, { ...common, dialer, certificates, certificateClock, local: local?.apis }),
  };
}

interface PathSources extends Omit<ServerStages, 'core'> {
  readonly server: ApiServer;
  readonly controlled: ControlledParts;
}

/** The first path that has an answer gives it. */
function addPaths(options: ControlPlaneOptions, ground: ServerGround, sources: PathSources): void {
  const { log, signal, extensions, serving } = options;
  const { state, metrics, types, storage, encryption, attempts } = ground;
  const { server, access, admission, fairness, controlled } = sources;
  const { foreign, foreignOpenApi } = controlled.aggregator;
  const { webhooks, reviews } = admission;
  const served = new ServedApi(server.registry, foreign);
  const address = (): string => state.address;
  const indicators = new MetricRegistry();
  const started = { startedAtMs: PROCESS_STARTED_AT_MS };
  const checks = healthChecks({ store: storage.store, state, signal, more: encryption?.healthChecks });
  const health = new HealthPaths(checks, { indicators, log });
  const issuer = access.authentication.issuerDiscovery(address);
  const paths = [
    ...(reviews === undefined ? [] : [new ReviewPaths(reviews, { client: webhooks, objects: server.objects })]),
    ...(extensions?.paths ?? []),
    new DiscoveryPaths(served, server.documents, address),
    new OpenApiPaths(served, types, foreignOpenApi),
    health,
    new VersionPath(versionInfo(types.version, serving?.reportedVersion)),
    issuer,
    new MetricsPath('/metrics', () => metrics.registries, started),
    new MetricsPath('/metrics/slis', () => [indicators], started),
    ...(fairness === undefined ? [] : [fairness.paths]),
    new RootPath(served, [...health.paths, ...issuer.paths]),
    new SchedulingPaths(attempts),
    new PastPaths({
      objects: server.objects,
      registry: server.registry,
      recent: server.traces.recent,
      turns: server.services.turns,
      clock: options.clock,
    }),
  ];
  for (const each of paths) server.addPaths(each);
}
