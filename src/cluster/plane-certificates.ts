import type { RenewedCertificates, ServingCertificate } from '../apiserver/index.ts';
import type { Clock, Logger, Random } from '../base/index.ts';
import type { Credential } from '../wire/certificates/index.ts';
import type { AccessOptions } from './access.ts';
import type { AggregationOptions, ProxyCertificates } from './aggregation.ts';
import { frontProxyOf } from './authentication.ts';
import { followCertificateFiles } from './pki/certificate-files.ts';
import type { ClusterKeys, ClusterPki } from './pki/cluster-pki.ts';
import { issueCredential } from './pki/issue-credential.ts';
import { keepRenewed } from './pki/renewal.ts';
import type { ServingOptions } from './serving.ts';
import type { ServingPort } from './workers/serving-port.ts';

/** Where certificates come from that the cluster's own authority has not made. */
export interface CertificateOptions {
  readonly serving?: Pick<ServingOptions, 'credential' | 'certificateFiles'>;
  readonly access?: Pick<AccessOptions, 'authentication' | 'clientAuthorities'>;
  readonly aggregation?: AggregationOptions;
  readonly clock: Clock;
  /** The time that certificates go by; default `clock`. */
  readonly certificateClock?: Clock;
  readonly random: Random;
  readonly log: Logger;
}

/** What a control plane shows and trusts at the time: made by the cluster's own authority or given as files, and renewed while it listens. */
export class PlaneCertificates implements ProxyCertificates, Disposable {
  readonly #options: CertificateOptions;
  readonly #onProxyClientRenewed = new Set<() => void>();
  readonly #onRenewed = new Set<() => void>();
  #pki: ClusterPki;
  /** Shown to other servers in place of the cluster's own. */
  #proxyClient: Credential | undefined;
  #port: ServingPort | undefined;
  #renewal: Disposable | undefined;
  #followed: Disposable | undefined;

  constructor(options: CertificateOptions, pki: ClusterPki) {
    this.#options = options;
    this.#pki = pki;
    this.#proxyClient = options.aggregation?.proxyClient;
  }

  /** The keys and certificates in use. */
  get pki(): ClusterPki {
    return this.#pki;
  }

  /** What certificates go by. */
  get clock(): Clock {
    return this.#options.certificateClock ?? this.#options.clock;
  }

  get frontProxyClient(): Credential {
    return this.#proxyClient ?? this.#pki.frontProxyClient;
  }

  get proxyAuthorities(): RenewedCertificates['proxyAuthorities'] {
    return frontProxyOf(this.#options.access ?? {}, this.#pki).authorities;
  }

  /** PEM of the authorities whose client certificates count. */
  get clientAuthorities(): string {
    return this.#options.access?.clientAuthorities ?? this.#pki.authority.certificate;
  }

  get serving(): ServingCertificate {
    const { certificate, privateKey } = this.#options.serving?.credential ?? this.#pki.serving;
    return { certificate, key: privateKey };
  }

  /** A certificate of the cluster's authority, for a part of this process. */
  issue(request: Parameters<typeof issueCredential>[0]): Credential {
    return issueCredential(request, this.#pki.authority, { clock: this.clock, random: this.#options.random });
  }

  /** Calls the handler when the administrator has another certificate, until the result is disposed of. */
  onRenewed(handler: () => void): Disposable {
    this.#onRenewed.add(handler);
    return { [Symbol.dispose]: () => void this.#onRenewed.delete(handler) };
  }

  onProxyClientRenewed(handler: () => void): Disposable {
    this.#onProxyClientRenewed.add(handler);
    return { [Symbol.dispose]: () => void this.#onProxyClientRenewed.delete(handler) };
  }

  /** Goes by these keys and certificates from now on. */
  use(pki: ClusterPki): void {
    const isServingNew = pki.serving.certificate !== this.#pki.serving.certificate;
    const isProxyNew = pki.frontProxyClient.certificate !== this.#pki.frontProxyClient.certificate;
    const isAdminNew = pki.admin.certificate !== this.#pki.admin.certificate;
    this.#pki = pki;
    this.#port?.use?.(pki);
    if (isProxyNew) for (const handler of this.#onProxyClientRenewed) handler();
    if (isServingNew) this.#port?.renew({ serving: this.serving });
    if (isAdminNew) for (const handler of this.#onRenewed) handler();
  }

  /** A port is open: it gets what changes in the files that were given. */
  follow(port: ServingPort): void {
    this.#port = port;
    const { serving: { credential: serving, certificateFiles } = {}, access, clock, log, aggregation } = this.#options;
    const clientAuthorities = access?.clientAuthorities;
    const proxyClient = aggregation?.proxyClientFiles;
    if (certificateFiles === undefined && proxyClient === undefined) return;
    const known = {
      ...(this.#proxyClient === undefined ? {} : { proxyClient: this.#proxyClient }),
      ...(serving === undefined ? {} : { serving }),
      ...(clientAuthorities === undefined ? {} : { clientAuthorities }),
      proxyAuthorities: this.proxyAuthorities,
    };
    const use = (renewed: RenewedCertificates): void => port.renew(renewed);
    const useProxyClient = (renewed: Credential): void => {
      this.#proxyClient = renewed;
      for (const handler of this.#onProxyClientRenewed) handler();
    };
    const files = { ...certificateFiles, ...(proxyClient === undefined ? {} : { proxyClient }) };
    this.#followed = followCertificateFiles(files, { known, clock, log, use, useProxyClient });
  }

  /** Renews what the cluster's own authority has made. */
  keepRenewed(keys: ClusterKeys): void {
    this.#renewal = keepRenewed(keys, { clock: this.clock, log: this.#options.log, use: (pki) => this.use(pki) });
  }

  [Symbol.dispose](): void {
    this.#renewal?.[Symbol.dispose]();
    this.#followed?.[Symbol.dispose]();
  }
}
