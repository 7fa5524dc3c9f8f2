import type { AddressInfo } from 'node:net';
import type { Authentication, OwnPrograms } from '../access/index.ts';
import type { ApiServer, ClientCertificate } from '../apiserver/index.ts';
import type { TypeTable } from '../api/index.ts';
import type { Clock, Logger, MetricRegistry } from '../base/index.ts';
import type { Client } from '../client/index.ts';
import type { Encryption } from '../encryption/index.ts';
import { SchedulingAttempts } from '../scheduler/why/scheduling-attempts.ts';
import type { InProcessStore, StoreContents } from '../store/index.ts';
import type { Credential } from '../wire/certificates/index.ts';
import { advertisedAddress, hostAndPort, isUnspecified, type ListenAddress, splitExternalHost } from './addresses.ts';
import { PlaneObjects } from './bootstrap/plane-objects.ts';
import { buildServer, type RunnableServer } from './build-server.ts';
import type { ControlPlaneOptions } from './control-plane-options.ts';
import { type Identity, inProcessClient, type InProcessClientOptions } from './in-process-client.ts';
import type { ClusterAccess } from './kubeconfig.ts';
import { PodNetworkRelay } from './pod-network-relay.ts';
import { LocalNodes } from './local-nodes.ts';
import type { ClusterKeys, ClusterPki } from './pki/cluster-pki.ts';
import { PlaneCertificates } from './plane-certificates.ts';
import { openPort } from './serving.ts';
import { ServingMetrics, ServingState } from './serving-state.ts';
import { forkStorage, type OpenStorage, storedContents } from './storage-options.ts';
import { auditLogOf } from './workers/one-audit-log.ts';
import type { ServingPort } from './workers/serving-port.ts';

/** What a fork has of its own. */
export interface ForkOptions extends Pick<ControlPlaneOptions, 'clock' | 'random' | 'signal' | 'local'> {
  /** Default the log of the original. */
  readonly log?: Logger;
  /** What the store of the fork holds; default what that of the original holds now. */
  readonly contents?: StoreContents;
}

/** What the phases of storage and keys have opened. Forks share it, but for the store. */
export interface OpenedParts {
  readonly storage: OpenStorage;
  readonly encryption?: Encryption;
  readonly types: TypeTable;
  readonly pki: ClusterPki;
  /** Absent where another process looks after them. */
  readonly keys?: ClusterKeys;
}

/** A running control plane. Disposing of it ends all requests, then closes the store. */
export class ControlPlane implements AsyncDisposable {
  readonly server: ApiServer;
  /** Nodes that run in this process. */
  readonly localNodes: LocalNodes;
  /** Receives the addresses of pods on the real node of this process. */
  readonly podNetwork = new PodNetworkRelay();
  /** Why pods went to their nodes, or to none, as a scheduler of this process records it. */
  readonly attempts = new SchedulingAttempts();
  /** Makes a token for a Secret of a service account. */
  readonly legacyToken: Authentication['tokenIssuer']['legacyToken'];
  /** The programs of this process. */
  readonly programs: OwnPrograms;
  readonly #options: ControlPlaneOptions;
  readonly #opened: OpenedParts;
  readonly #state = new ServingState();
  readonly #metrics = new ServingMetrics();
  readonly #ending = new AbortController();
  /** Aborts when the orderly stop begins, or when the control plane is disposed of. */
  readonly #stopping: AbortSignal;
  readonly #certificates: PlaneCertificates;
  readonly #built: RunnableServer;
  readonly #objects: PlaneObjects;
  #transport: ServingPort | undefined;
  #isFork = false;

  /** Use `startControlPlane`. */
  constructor(options: ControlPlaneOptions, opened: OpenedParts) {
    this.#options = options;
    this.#opened = opened;
    this.#stopping = AbortSignal.any([options.signal, this.#ending.signal]);
    this.localNodes = new LocalNodes(options.log);
    this.#certificates = new PlaneCertificates(options, opened.pki);
    this.#built = buildServer(options, {
      ...opened,
      certificates: this.#certificates,
      state: this.#state,
      metrics: this.#metrics,
      localNodes: this.localNodes,
      attempts: this.attempts,
      ending: this.#ending.signal,
    });
    const { server, access } = this.#built;
    this.server = server;
    this.programs = access.programs;
    this.legacyToken = (wish) => access.authentication.tokenIssuer.legacyToken(wish);
    this.#objects = new PlaneObjects(server, options, { certificates: this.#certificates, stopping: this.#stopping });
  }

  /** The keys and certificates in use; certificates are renewed while the server listens. */
  get pki(): ClusterPki {
    return this.#certificates.pki;
  }

  get types(): TypeTable {
    return this.#opened.types;
  }

  /** The time that certificates go by. */
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

  /** Where it listens, with the port that was taken where the options said 0. */
  get address(): AddressInfo {
    return this.#listening().address;
  }

  /** How the cluster's administrator reaches it over the network. */
  get access(): ClusterAccess {
    const { url, address } = this.#listening();
    const { name, serving } = this.#options;
    return {
      name,
      server: isUnspecified(serving?.listen?.host ?? '') ? `https://127.0.0.1:${address.port}` : url,
      certificateAuthority: this.pki.servingAuthority,
      client: this.pki.admin,
    };
  }

  /** Reports from now on that it is not ready, so that load balancers send clients elsewhere, and serves on. */
  drain(): void {
    this.#state.isDraining = true;
    this.#transport?.drain?.();
  }

  /** Calls the handler when `access` has another certificate, until the result is disposed of. */
  onRenewed(handler: () => void): Disposable {
    return this.#certificates.onRenewed(handler);
  }

  /** A client straight into the server: the same stages as any other's requests, no sockets. */
  client(identity: Identity, options: InProcessClientOptions = {}): Client {
    const { user: commonName, groups: organizations } = identity;
    return this.#client({ commonName, organizations }, options);
  }

  /** A client of a program that this process has started itself: it has the rights of its name under every authorization mode. */
  programClient(identity: Identity, options: InProcessClientOptions = {}): Client {
    return this.#client(this.programs.certificateOf(identity), options);
  }

  #client(certificate: ClientCertificate, options: InProcessClientOptions): Client {
    const { clock, random, log } = this.#options;
    return inProcessClient(this.server, certificate, { clock, random, log, ...options });
  }

  /** For `startControlPlane`: learns of custom kinds, and creates the objects that all others need. */
  async prepare(): Promise<void> {
    const { definitions } = this.#built;
    definitions.start();
    await definitions.caughtUp();
    if (!this.#isWorker) await this.#objects.makeFirst();
  }

  /**
   * For `startControlPlane`: creates the objects that every cluster has and that are missing, while the port is opened; until it is done
   * the server is not ready.
   */
  async bootstrap(): Promise<void> {
    const { aggregator, fairness } = this.#built;
    if (this.#isWorker) {
      await aggregator.start();
      this.#begin();
      return;
    }
    await Promise.all([
      this.#objects.makeOthers(),
      this.#hasFlowControl ? fairness?.bootstrap(this.server.self) : undefined,
      aggregator.start(),
    ]);
    this.#objects.keep();
    this.#begin();
  }

  #begin(): void {
    if (this.#hasFlowControl) this.#built.fairness?.start(this.server.self, this.#stopping);
    this.#state.isBootstrapped = true;
  }

  /** Whether another process does what is done once for all servers. */
  get #isWorker(): boolean {
    return this.#options.serving?.worksWith !== undefined;
  }

  /** Whether flow schemas are served; where they are not, the mandatory ones alone count. */
  get #hasFlowControl(): boolean {
    return this.server.registry.hasGroup('flowcontrol.apiserver.k8s.io');
  }

  /** What `/metrics` shows. */
  get registries(): readonly MetricRegistry[] {
    return this.#metrics.registries;
  }

  /** Shows at `/metrics` also what others in this process count. */
  addMetrics(source: () => readonly MetricRegistry[]): void {
    this.#metrics.add(source);
  }

  /** Opens a port. Once only. */
  async listen(place: ListenAddress): Promise<void> {
    if (this.#transport !== undefined) throw new Error(`Cannot listen: the server listens at ${this.#transport.url}`);
    const { clock, random, log, signal, serving = {}, access = {}, storage } = this.#options;
    const { keys } = this.#opened;
    if (keys !== undefined && place !== serving.listen && !isUnspecified(place.host))
      this.#certificates.use(await keys.cover(place.host));
    this.#transport = await openPort(serving, {
      server: this.server,
      place,
      certificates: this.#certificates,
      metrics: this.#metrics,
      attempts: this.attempts,
      store: storage.type === 'etcd' ? undefined : this.#opened.storage.store,
      auditLog: auditLogOf(access),
      clock,
      random,
      log,
      signal,
    });
    const address = serving.advertiseAddress ?? advertisedAddress(place.host);
    const { port } = this.#transport.address;
    const external = splitExternalHost(serving.externalHost ?? address);
    this.#state.address = hostAndPort(external.host, external.port ?? port);
    this.#certificates.follow(this.#transport);
    if (keys === undefined) return;
    await this.#objects.announce(address, port);
    this.#certificates.keepRenewed(keys);
  }

  /** The newest revision in the store; undefined where the store is in another process. */
  get revision(): number | undefined {
    const { store } = this.#opened.storage;
    return 'revisionNow' in store ? (store as InProcessStore).revisionNow() : undefined;
  }

  /** All that is stored now; only of control planes whose store is in memory. */
  contents(): StoreContents {
    return storedContents(this.#opened.storage);
  }

  /** An independent copy as of now, without a port; only of control planes whose store is in memory. */
  fork({ contents, ...options }: ForkOptions): ControlPlane {
    const forked = { ...this.#options, ...forkOptions(this.#options, options) };
    const { clock, log } = forked;
    const storage = forkStorage(this.#opened.storage, { clock, ...(contents === undefined ? {} : { contents }) });
    const copy = new ControlPlane(forked, { ...this.#opened, storage });
    const { definitions, aggregator } = copy.#built;
    copy.#isFork = true;
    definitions.start();
    copy.#objects.keep();
    copy.#begin();
    aggregator.start().catch((error: unknown) => log.error('aggregation cannot start', { error }));
    return copy;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#ending.abort();
    await this.#objects.ended(); // while there is a store
    this.#built.definitions[Symbol.dispose]();
    this.localNodes[Symbol.dispose]();
    this.#certificates[Symbol.dispose]();
    await this.#transport?.[Symbol.asyncDispose]();
    await this.#built.access.audit?.[Symbol.asyncDispose]();
    this.server.objects[Symbol.dispose]();
    await this.#opened.storage.store[Symbol.asyncDispose]();
    if (!this.#isFork) await this.#opened.encryption?.[Symbol.asyncDispose]();
  }

  /** Goes by these keys and certificates from now on. */
  use(pki: ClusterPki): void {
    this.#certificates.use(pki);
  }

  #listening(): ServingPort {
    if (this.#transport === undefined) throw new Error('Cannot say where the server listens: it does not listen');
    return this.#transport;
  }
}

/** What differs in the options of a fork: no port, and what the fork has of its own. */
export function forkOptions(
  { serving: { listen: _, ...serving } = {}, local, log }: ControlPlaneOptions,
  { contents: __, ...own }: ForkOptions,
): Omit<ForkOptions, 'contents'> & Pick<ControlPlaneOptions, 'serving' | 'log'> {
  return { ...own, serving, local: { ...local, ...own.local }, log: own.log ?? log };
}
