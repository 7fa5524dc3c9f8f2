import type { AddressInfo } from 'node:net';
import type { Aggregator } from '../aggregator/index.ts';
import type { Definitions } from '../apiextensions/index.ts';
import { type ApiServer, listen } from '../apiserver/index.ts';
import type { TypeTable } from '../api/index.ts';
import type { Clock, Logger, MetricRegistry } from '../base/index.ts';
import type { Client } from '../client/index.ts';
import type { PriorityAndFairness } from '../fairness/index.ts';
import { SchedulingAttempts } from '../scheduler/why/scheduling-attempts.ts';
import type { InProcessStore, StoreContents } from '../store/index.ts';
import type { Credential } from '../wire/certificates/index.ts';
import { advertisedAddress, isUnspecified, type ListenAddress } from './addresses.ts';
import { PlaneObjects } from './bootstrap/plane-objects.ts';
import { buildServer, type RunnableServer, type ServerParts } from './build-server.ts';
import type { ControlPlaneOptions } from './control-plane-options.ts';
import { type Identity, inProcessClient, type InProcessClientOptions } from './in-process-client.ts';
import type { ClusterAccess } from './kubeconfig.ts';
import { LocalNodes } from './local-nodes.ts';
import type { ClusterKeys, ClusterPki } from './pki/cluster-pki.ts';
import { renewedCredential } from './pki/issue-credential.ts';
import { PlaneCertificates } from './plane-certificates.ts';
import { SchedulingPaths } from './scheduling-paths.ts';
import { forkStorage, storedContents } from './storage-options.ts';
import { auditLogOf } from './workers/one-audit-log.ts';
import type { ServingPort } from './workers/serving-port.ts';

/** What a fork has of its own. */
export interface ForkOptions extends Pick<
  ControlPlaneOptions,
  'clock' | 'random' | 'signal' | 'localWebhooks' | 'localApis' | 'interfere'
> {
  /** The one of what it is a fork of unless given. */
  readonly log?: Logger;
  /** What is in its store, where that is not the same. */
  readonly contents?: StoreContents;
}

/** What a control plane is made of, once it is open. */
export interface ControlPlaneParts extends ServerParts {
  /** Absent where another process looks after them. */
  readonly keys?: ClusterKeys;
}

/** As kubeadm has it: whom nodes know to be the API server. */
const KUBELET_CLIENT = { commonName: 'kube-apiserver-kubelet-client', organizations: ['system:masters'] };

/** A running control plane. Disposing of it ends all requests, then closes the store. */
export class ControlPlane implements AsyncDisposable {
  readonly server: ApiServer;
  /** Nodes that run in this process. */
  readonly localNodes: LocalNodes;
  /** Why pods went to their nodes, or to none, as a scheduler of this process has noted it. */
  readonly attempts = new SchedulingAttempts();
  /** Makes a token for a Secret of a service account. */
  readonly legacyToken: RunnableServer['legacyToken'];
  readonly #options: ControlPlaneOptions;
  readonly #parts: ControlPlaneParts;
  #isBootstrapped = false;
  #isDraining = false;
  #isFork = false;
  #transport: ServingPort | undefined;
  readonly #ending = new AbortController();
  readonly #certificates: PlaneCertificates;
  #address = '';
  readonly #metrics: MetricRegistry;
  readonly #metricSources: (() => readonly MetricRegistry[])[] = [];
  readonly #definitions: Definitions;
  readonly #fairness: PriorityAndFairness | undefined;
  readonly #objects: PlaneObjects;
  readonly #audit: AsyncDisposable | undefined;
  readonly #aggregator: Aggregator;

  /** Use `startControlPlane`. */
  constructor(options: ControlPlaneOptions, parts: ControlPlaneParts) {
    this.#options = options;
    this.#parts = parts;
    this.#certificates = new PlaneCertificates(options, parts.pki, () => this.#aggregator.certificateRenewed());
    this.localNodes = new LocalNodes(options.log);
    const { server, definitions, fairness, audit, aggregator, legacyToken, metrics } = buildServer(options, parts, {
      isBootstrapped: () => this.#isBootstrapped,
      isDraining: () => this.#isDraining,
      address: () => this.#address,
      localNodes: this.localNodes,
      metrics: () => this.#metricSources.flatMap((source) => source()),
      frontProxyClient: () => this.#certificates.frontProxyClient,
      kubeletClient: renewedCredential(
        () => this.issue({ subject: KUBELET_CLIENT, usage: 'client' }),
        this.certificateClock,
      ),
      ending: this.#ending.signal,
    });
    this.server = server;
    server.addPaths(new SchedulingPaths(this.attempts));
    this.legacyToken = legacyToken;
    this.#definitions = definitions;
    this.#fairness = fairness;
    this.#audit = audit;
    this.#metrics = metrics;
    this.#aggregator = aggregator;
    this.#objects = new PlaneObjects(server, options, { pki: () => this.pki, stopping: () => this.#stopping });
  }

  /** The keys and certificates in use; certificates are renewed while the server listens. */
  get pki(): ClusterPki {
    return this.#certificates.pki;
  }

  get types(): TypeTable {
    return this.#parts.types;
  }

  /** What certificates go by. */
  get certificateClock(): Clock {
    return this.#certificates.clock;
  }

  /** A certificate of the cluster's authority, for a part of this process. */
  issue(request: Parameters<PlaneCertificates['issue']>[0]): Credential {
    return this.#certificates.issue(request);
  }

  get isListening(): boolean {
    return this.#transport !== undefined;
  }

  get url(): string {
    return this.#listening().url;
  }

  /** Where it listens; the port is a real one even if any was asked for. */
  get address(): AddressInfo {
    return this.#listening().address;
  }

  /** How the cluster's administrator reaches it over the network. */
  get access(): ClusterAccess {
    const { url, address } = this.#listening();
    const { name, listen: place } = this.#options;
    return {
      name,
      server: isUnspecified(place?.host ?? '') ? `https://127.0.0.1:${address.port}` : url,
      certificateAuthority: this.pki.servingAuthority,
      client: this.pki.admin,
    };
  }

  /** Says from now on that it is not ready, so that load balancers send nobody here any more, and serves on. */
  drain(): void {
    this.#isDraining = true;
    this.#transport?.drain?.();
  }

  /** Calls the handler when `access` tells of another certificate, until the result is disposed of. */
  onRenewed(handler: () => void): Disposable {
    return this.#certificates.onRenewed(handler);
  }

  /** A client straight into the server: the same stages as any other's requests, no sockets. */
  client(identity: Identity, options: InProcessClientOptions = {}): Client {
    const { clock, random, log } = this.#options;
    return inProcessClient(this.server, identity, { clock, random, log, ...options });
  }

  /** For `startControlPlane`: learns of custom kinds, and makes what the other objects of every cluster need. */
  async prepare(): Promise<void> {
    this.#definitions.start();
    await this.#definitions.caughtUp();
    if (!this.#isWorker) await this.#objects.makeFirst();
  }

  /**
   * For `startControlPlane`: makes the objects that every cluster has, unless they are there, while the port is opened; until it is done the
   * server is not ready.
   */
  async bootstrap(): Promise<void> {
    if (this.#isWorker) {
      await this.#aggregator.start();
      this.#begin();
      return;
    }
    await Promise.all([
      this.#objects.makeOthers(),
      this.#hasFlowControl ? this.#fairness?.bootstrap(this.server.self) : undefined,
      this.#aggregator.start(),
    ]);
    this.#objects.keep();
    this.#begin();
  }

  #begin(): void {
    if (this.#hasFlowControl) this.#fairness?.start(this.server.self, this.#stopping);
    this.#isBootstrapped = true;
  }

  /** Whether another process does what is done once for all servers. */
  get #isWorker(): boolean {
    return this.#options.worksWith !== undefined;
  }

  /** Whether flow schemas are served; where they are not, the mandatory ones alone count. */
  get #hasFlowControl(): boolean {
    return this.server.registry.hasGroup('flowcontrol.apiserver.k8s.io');
  }

  get #stopping(): AbortSignal {
    return AbortSignal.any([this.#options.signal, this.#ending.signal]);
  }

  /** What `/metrics` shows. */
  get registries(): readonly MetricRegistry[] {
    return [this.#metrics, ...this.#metricSources.flatMap((source) => source())];
  }

  /** Shows at `/metrics` also what others in this process count. */
  addMetrics(source: () => readonly MetricRegistry[]): void {
    this.#metricSources.push(source);
  }

  /** Opens a port. Once only. */
  async listen(place: ListenAddress): Promise<void> {
    if (this.#transport !== undefined) throw new Error(`Cannot listen: the server listens at ${this.#transport.url}`);
    this.#transport = await this.#open(place);
    const address = this.#options.advertiseAddress ?? advertisedAddress(place.host);
    const { port } = this.#transport.address;
    this.#address = `${address}:${port}`;
    this.#certificates.follow(this.#transport);
    const { keys } = this.#parts;
    if (keys === undefined) return;
    await this.#objects.announce(address, port);
    this.#certificates.keepRenewed(keys);
  }

  /** A port of this process, or of the workers that serve in its place. */
  async #open(place: ListenAddress): Promise<ServingPort> {
    const { clock, random, log, signal, clientAuthorities, transportLimits, workers, storage } = this.#options;
    if (workers !== undefined) {
      const store = storage.type === 'etcd' ? undefined : this.#parts.storage.store;
      const [pki, registries] = [() => this.pki, () => this.registries];
      const [{ attempts }, auditLog] = [this, auditLogOf(this.#options)];
      const parts = { place, store, pki, registries, attempts, auditLog, clock, random, log, signal };
      const { WorkerPool } = await import('./workers/worker-pool.ts'); // few servers have workers
      return WorkerPool.open({ ...workers, ...parts });
    }
    return listen(this.server, {
      ...place,
      serving: this.#certificates.serving,
      clientAuthorities: clientAuthorities ?? this.pki.authority.certificate,
      proxyAuthorities: this.#certificates.proxyAuthorities,
      clock,
      uids: this.server.services.uids,
      log,
      limits: transportLimits,
      observer: this.server.observer,
      signal,
    });
  }

  /** The newest revision in the store; undefined where the store is in another process. */
  get revision(): number | undefined {
    const { store } = this.#parts.storage;
    return 'revisionNow' in store ? (store as InProcessStore).revisionNow() : undefined;
  }

  /** All that is stored now; only of control planes whose store is in memory. */
  contents(): StoreContents {
    return storedContents(this.#parts.storage);
  }

  /** An independent copy as of now, without a port; only of control planes whose store is in memory. */
  fork({ contents, ...options }: ForkOptions): ControlPlane {
    const { listen: _, ...own } = this.#options;
    const { clock } = options;
    const storage = forkStorage(this.#parts.storage, { clock, ...(contents === undefined ? {} : { contents }) });
    const copy = new ControlPlane({ ...own, ...options }, { ...this.#parts, storage });
    copy.#isFork = true;
    copy.#definitions.start();
    copy.#objects.keep();
    copy.#begin();
    copy.#aggregator.start().catch((error: unknown) => own.log.error('aggregation cannot start', { error }));
    return copy;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#ending.abort();
    await this.#objects.ended(); // while there is a store
    this.#definitions[Symbol.dispose]();
    this.localNodes[Symbol.dispose]();
    this.#certificates[Symbol.dispose]();
    await this.#transport?.[Symbol.asyncDispose]();
    await this.#audit?.[Symbol.asyncDispose]();
    this.server.objects[Symbol.dispose]();
    await this.#parts.storage.store[Symbol.asyncDispose]();
    if (!this.#isFork) await this.#parts.encryption?.[Symbol.asyncDispose]();
  }

  /** Goes by these keys and certificates from now on. */
  use(pki: ClusterPki): void {
    this.#certificates.use(pki);
  }

  #listening(): ServingPort {
    if (this.#transport === undefined) throw new Error('Cannot tell where the server listens: it does not listen');
    return this.#transport;
  }
}
