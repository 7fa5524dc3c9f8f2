import { readFile } from 'node:fs/promises';
import type { Clock, Logger, Random, Runnable } from '../../../base/index.ts';
import { runTogether } from '../../../base/index.ts';
import type { Client } from '../../../client/index.ts';
import {
  type AccessPolicy,
  alive,
  type Family,
  healthAnswer,
  NodeAccess,
  type NodeAgent,
  NodeEndpoint,
  NodeServer,
  PlainEndpoint,
  PodResourcesSocket,
  type ServingOptions,
  withoutDebugging,
} from '../../../node/index.ts';
import type { Credential } from '../../../wire/certificates/index.ts';
import type { TlsIdentity } from '../../../wire/listen/index.ts';
import { nodeSubject } from '../kubelet/node-endpoints.ts';
import { CertificateMetrics } from './certificates/certificate-figures.ts';
import { CertificateFiles } from './certificates/certificate-files.ts';
import { RotatedCertificate } from './certificates/rotated-certificate.ts';
import { credentialIn, FileChanges, selfSignedFiles, type ServingFiles } from './certificates/serving-certificate.ts';
import type { KubeletSettings } from './settings/kubelet-fields.ts';

export interface KubeletPortsParts {
  readonly settings: KubeletSettings;
  readonly tls: Pick<TlsIdentity, 'minVersion' | 'ciphers' | 'curves'>;
  readonly node: { readonly name: string; readonly addresses: readonly string[] };
  /** The agent's folder. */
  readonly rootDir: string;
  readonly certDir: string;
  /** The certificate to present where the configuration names none; default one that the node signs itself, in `certDir`. */
  readonly issued?: Credential;
  /** PEM of the authorities of clients where the configuration names none. */
  readonly clientAuthorities: string;
  readonly serving: ServingOptions;
  /** The node's client. */
  readonly client: Client;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
}

const LIVENESS = [alive('ping')];

/**
 * The ports of a kubelet: one with TLS for everything, one without authorization where it is asked for, one for checks of its health, and the
 * socket of pod resources. Certificates that change on disk, or that the API server signs, are presented from then on.
 */
export class KubeletPorts implements Runnable, Disposable {
  readonly #parts: KubeletPortsParts;
  readonly #endpoint: NodeEndpoint | undefined;
  readonly #plain: PlainEndpoint[] = [];
  readonly #files: ServingFiles | undefined;
  readonly #signed: CertificateFiles;
  #serving: Credential;
  readonly #resources: PodResourcesSocket;
  readonly certificates: CertificateMetrics;
  #server: NodeServer | undefined;

  static async open(parts: KubeletPortsParts): Promise<KubeletPorts> {
    const { settings, tls, certDir, clock } = parts;
    const { x509 } = settings.authentication;
    const signed = new CertificateFiles('kubelet-server', certDir, clock);
    const files = settings.tlsCertFile === '' && parts.issued !== undefined ? undefined : await filesOf(parts);
    const first = settings.serverTLSBootstrap ? await signed.current() : undefined;
    const serving = first ?? (files === undefined ? parts.issued : await credentialIn(files));
    if (serving === undefined) throw new Error('Cannot open the port of the node: it has no certificate');
    const clientAuthorities =
      x509.clientCAFile === '' ? parts.clientAuthorities : await readFile(x509.clientCAFile, 'utf8');
    const endpoint = settings.enableServer
      ? await NodeEndpoint.open({
          host: settings.address,
          port: settings.port,
          certificate: { certificate: serving.certificate, key: serving.privateKey },
          clientAuthorities,
          tls,
        })
      : undefined;
    const ports = new KubeletPorts(parts, { endpoint, files, signed, serving });
    try {
      await ports.#openPlain();
      return ports;
    } catch (error) {
      ports[Symbol.dispose]();
      throw error;
    }
  }

  private constructor(
    parts: KubeletPortsParts,
    opened: {
      readonly endpoint: NodeEndpoint | undefined;
      readonly files: ServingFiles | undefined;
      readonly signed: CertificateFiles;
      readonly serving: Credential;
    },
  ) {
    this.#parts = parts;
    this.certificates = new CertificateMetrics(parts.clock);
    this.#resources = new PodResourcesSocket({ root: parts.rootDir, clock: parts.clock, log: parts.log });
    this.#endpoint = opened.endpoint;
    this.#files = opened.files;
    this.#signed = opened.signed;
    this.#serving = opened.serving;
  }

  /** Of the port with TLS; 0 where there is none. */
  get port(): number {
    return this.#endpoint?.port ?? 0;
  }

  /** Answers callers from now on. */
  serve({ name, served }: NodeAgent): NodeServer {
    const { settings, client, clock, log, serving } = this.#parts;
    const metrics = (): readonly Family[] => [...this.#resources.families(), ...this.certificates.families()];
    const server = new NodeServer(served, log.with({ node: name }), { ...serving, metrics });
    this.#server = server;
    const { resources, devices } = served.backend;
    this.#resources.serve({ pod: served.pod, pods: served.pods, resources, devices });
    const policy = policyOf(settings);
    const guard = settings.enableDebuggingHandlers ? undefined : withoutDebugging;
    this.#endpoint?.serve(server, new NodeAccess({ node: name, client, clock, log, policy }), guard);
    return server;
  }

  /** Keeps the certificate of the port up to date, and serves the socket. */
  async run(signal: AbortSignal): Promise<void> {
    const { settings, client, clock, random, log, node } = this.#parts;
    const { clientCAFile } = settings.authentication.x509;
    const tasks: Runnable[] = [this.#resources];
    const files = this.#files;
    if (settings.serverTLSBootstrap)
      tasks.push(
        new RotatedCertificate({
          client,
          clock,
          random,
          log,
          figures: this.certificates.of('server'),
          files: this.#signed,
          wanted: {
            subject: nodeSubject(node.name),
            names: [node.name, ...node.addresses],
            signerName: 'kubernetes.io/kubelet-serving',
            usage: 'server auth',
          },
          onStored: (credential) => this.#renew(credential),
        }),
      );
    else if (files !== undefined)
      tasks.push(
        new FileChanges([files.certificate, files.key], {
          clock,
          log,
          changed: ([certificate = '', privateKey = '']) => this.#renew({ certificate, privateKey }),
        }),
      );
    if (clientCAFile !== '')
      tasks.push(
        new FileChanges([clientCAFile], { clock, log, changed: ([text]) => this.#renew(this.#serving, text) }),
      );
    await runTogether(tasks, signal);
  }

  [Symbol.dispose](): void {
    this.#endpoint?.[Symbol.dispose]();
    for (const each of this.#plain) each[Symbol.dispose]();
  }

  #renew(credential: Credential, clientAuthorities?: string): void {
    try {
      const { certificate, privateKey: key } = credential;
      this.#endpoint?.renew({ certificate, key }, clientAuthorities);
      this.#serving = credential;
    } catch (error) {
      this.#parts.log.error('certificate cannot be used; the previous one stays', { error });
    }
  }

  async #openPlain(): Promise<void> {
    const { settings } = this.#parts;
    if (settings.healthzPort > 0)
      this.#plain.push(
        await PlainEndpoint.open({
          host: settings.healthzBindAddress,
          port: settings.healthzPort,
          answer: (request) => healthAnswer(request, LIVENESS),
        }),
      );
    if (settings.readOnlyPort > 0)
      this.#plain.push(
        await PlainEndpoint.open({
          host: settings.address,
          port: settings.readOnlyPort,
          guard: withoutDebugging,
          server: () => this.#server,
        }),
      );
  }
}

async function filesOf(parts: KubeletPortsParts): Promise<ServingFiles> {
  const { tlsCertFile, tlsPrivateKeyFile } = parts.settings;
  if (tlsCertFile !== '') return { certificate: tlsCertFile, key: tlsPrivateKeyFile };
  return selfSignedFiles(parts.certDir, parts.node, parts);
}

function policyOf({ authentication, authorization }: KubeletSettings): AccessPolicy {
  return {
    allowsAnonymous: authentication.anonymous.enabled,
    reviewsTokens: authentication.webhook.enabled,
    reviewsAccess: authorization.mode === 'Webhook',
    tokenTtlMs: authentication.webhook.cacheTTL,
    allowedTtlMs: authorization.webhook.cacheAuthorizedTTL,
    refusedTtlMs: authorization.webhook.cacheUnauthorizedTTL,
  };
}
