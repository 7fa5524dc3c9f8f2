import type { X509Certificate } from 'node:crypto';
import type { TypeTable } from '../api/index.ts';
import { type ApiServer, type ForeignApi, type ForeignOpenApi, WebhookClient } from '../apiserver/index.ts';
import type { Clock, Logger, MetricRegistry, Random } from '../base/index.ts';
import type { ClientCertificate, Dialer } from '../wire/http/index.ts';
import { AggregatedRequests } from './aggregated-requests.ts';
import { AvailabilityController } from './availability-controller.ts';
import { Backends, type LocalBackend } from './backends.ts';
import { ForeignDiscovery } from './foreign-discovery.ts';
import { ForeignOpenApiDocuments } from './foreign-openapi.ts';
import { LocalRegistrations } from './local-registrations.ts';
import { Probe } from './probe.ts';
import { RegisteredServices } from './registered-services.ts';
import { ServiceRoutes, type ServiceRouting } from './service-routes.ts';

export interface AggregatorOptions {
  readonly server: ApiServer;
  readonly types: TypeTable;
  readonly random: Random;
  readonly log: Logger;
  readonly metrics: MetricRegistry;
  /** The clock by which certificates of other servers are valid or expired; default the machine's. */
  readonly certificateClock?: Clock;
  /** The front-proxy certificate that this server presents to others, read for each connection. */
  readonly proxyCertificate: () => ClientCertificate | undefined;
  /** Decides how addresses are reached; default on the network. */
  readonly dialer?: Dialer;
  /** Default `reachable`. */
  readonly routing?: ServiceRouting;
  readonly forwardsRedirects?: boolean;
  /** Servers of this process by the host of their Service; they are called without a connection. */
  readonly local?: (host: string) => LocalBackend | undefined;
  readonly signal: AbortSignal;
}

/** Max HTTP/1.1 connections to one server, of which every watch takes one; HTTP/2 needs few. */
const MAX_CONNECTIONS = 256;

/** Other API servers behind this one: their registration, availability, discovery, and the requests to them. */
export class Aggregator implements Disposable {
  /** The other servers' discovery. */
  readonly foreign: ForeignApi;
  /** The other servers' OpenAPI. */
  readonly foreignOpenApi: ForeignOpenApi;
  readonly #services: RegisteredServices;
  readonly #connections: WebhookClient;
  readonly #local: LocalRegistrations;
  readonly #availability: AvailabilityController;
  readonly #discovery: ForeignDiscovery;
  readonly #openApi: ForeignOpenApiDocuments;

  constructor(options: AggregatorOptions) {
    const { server, types, random, metrics, routing = 'reachable', certificateClock, proxyCertificate } = options;
    const { dialer } = options;
    const { clock, uids } = server.services;
    const routes = new ServiceRoutes(server.objects, random, routing);
    this.#services = new RegisteredServices(server);
    this.#connections = new WebhookClient({
      clock,
      uids,
      types,
      services: routes,
      ...(dialer === undefined ? {} : { dialer }),
      ...(certificateClock === undefined ? {} : { certificateClock }),
      credentialFor: () => {
        const certificate = proxyCertificate();
        return certificate === undefined ? undefined : { certificate };
      },
      offersHttp2: true,
      onCertificate: countWeakCertificates(metrics),
      maxConnections: MAX_CONNECTIONS,
    });
    const backends = new Backends({
      clock,
      connections: this.#connections,
      resolve: (service) => routes.resolve(service),
      ...(options.local === undefined ? {} : { local: options.local }),
    });
    const parts = { ...options, clock, services: this.#services, backends };
    const requests = new AggregatedRequests(parts);
    server.addDelegate(requests);
    this.#local = new LocalRegistrations(parts);
    this.#availability = new AvailabilityController({ ...parts, probe: new Probe(server.objects, backends) });
    this.#discovery = new ForeignDiscovery(parts);
    this.foreign = this.#discovery;
    this.#openApi = new ForeignOpenApiDocuments({ ...parts, requests });
    this.foreignOpenApi = this.#openApi;
  }

  /** Starts; resolves when everything that this server serves itself is registered. */
  async start(): Promise<void> {
    this.#services.start();
    await this.#services.caughtUp();
    this.#discovery.start();
    this.#openApi.start();
    await this.#local.start();
    this.#availability.start();
  }

  /** Reconnects with the current certificate. */
  certificateRenewed(): void {
    this.#connections.drain();
  }

  [Symbol.dispose](): void {
    this.#local[Symbol.dispose]();
    this.#availability[Symbol.dispose]();
    this.#discovery[Symbol.dispose]();
    this.#openApi[Symbol.dispose]();
    this.#services[Symbol.dispose]();
    this.#connections[Symbol.dispose]();
  }
}

/** DER-encoded object identifiers of SHA-1 signatures with RSA, DSA and elliptic curves. */
const SHA1_SIGNATURES = ['2a864886f70d010105', '2a8648ce380403', '2a8648ce3d0401'].map((hex) =>
  Buffer.from(hex, 'hex'),
);

/** Counts certificates of other servers that newer clients reject, under Kubernetes' metric names. */
function countWeakCertificates(metrics: MetricRegistry): (certificate: X509Certificate) => void {
  const missingNames = metrics.counter({
    name: 'apiserver_kube_aggregator_x509_missing_san_total',
    help: 'Connections to servers whose certificate has no alternative names.',
  });
  const insecureSignatures = metrics.counter({
    name: 'apiserver_kube_aggregator_x509_insecure_sha1_total',
    help: 'Connections to servers whose certificate is signed over SHA-1.',
  });
  missingNames.with();
  insecureSignatures.with();
  return ({ subjectAltName, raw }) => {
    if ((subjectAltName ?? '') === '') missingNames.with().add();
    if (SHA1_SIGNATURES.some((identifier) => raw.includes(identifier))) insecureSignatures.with().add();
  };
}
