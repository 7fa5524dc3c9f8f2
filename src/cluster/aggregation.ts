import { Aggregator, type AggregatorOptions, type ServiceRouting } from '../aggregator/index.ts';
import type { Credential } from '../wire/certificates/index.ts';
import type { CertificateFiles } from './pki/certificate-files.ts';

/** How requests for groups that other API servers serve are passed on. */
export interface AggregationOptions {
  /** Shown to other servers; default the certificate of the cluster's own front proxy. */
  readonly proxyClient?: Credential;
  /** The files that `proxyClient` comes from; they are read again when they change. */
  readonly proxyClientFiles?: CertificateFiles['proxyClient'];
  /** How their Services become addresses; see `ServiceRouting`. */
  readonly routing?: ServiceRouting;
  /** Passes on answers that send clients elsewhere; default false, and such answers are refused. */
  readonly forwardsRedirects?: boolean;
}

/** The certificate that this server shows to servers behind it. */
export interface ProxyCertificates {
  readonly frontProxyClient: Credential;
  /** Calls the handler when there is another one, until the result is disposed of. */
  onProxyClientRenewed(handler: () => void): Disposable;
}

export interface AggregationParts extends Omit<
  AggregatorOptions,
  'routing' | 'forwardsRedirects' | 'proxyCertificate'
> {
  readonly certificates: ProxyCertificates;
}

/** Passes requests on to other API servers, with the certificate that is in use at the time. */
export function openAggregator(options: AggregationOptions, parts: AggregationParts): Aggregator {
  const { routing, forwardsRedirects } = options;
  const { certificates, ...others } = parts;
  const aggregator = new Aggregator({
    ...others,
    ...(routing === undefined ? {} : { routing }),
    ...(forwardsRedirects === undefined ? {} : { forwardsRedirects }),
    proxyCertificate: () => {
      const { certificate, privateKey } = certificates.frontProxyClient;
      return { certificate, key: privateKey };
    },
  });
  certificates.onProxyClientRenewed(() => aggregator.certificateRenewed());
  return aggregator;
}
