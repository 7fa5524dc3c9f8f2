import { createPrivateKey, X509Certificate } from 'node:crypto';
import type { RenewedCertificates } from '../../apiserver/index.ts';
import { type Clock, type Logger, messageOf, watchFiles } from '../../base/index.ts';
import type { Credential } from '../../wire/certificates/index.ts';

/** Paths of PEM files that another program renews. */
export interface CertificateFiles {
  /** What the server shows, and its key. */
  readonly serving?: { readonly certificate: string; readonly privateKey: string };
  readonly clientAuthorities?: string;
  readonly proxyAuthorities?: string;
  /** What the server shows to API servers behind it, and its key. */
  readonly proxyClient?: { readonly certificate: string; readonly privateKey: string };
}

/** The same as they were read at the start. */
export interface ReadCertificates {
  readonly serving?: { readonly certificate: string; readonly privateKey: string };
  readonly clientAuthorities?: string;
  readonly proxyAuthorities?: string;
  readonly proxyClient?: Credential;
}

export interface CertificateFilesOptions {
  readonly known: ReadCertificates;
  readonly clock: Clock;
  readonly log: Logger;
  readonly use: (renewed: RenewedCertificates) => void;
  readonly useProxyClient: (renewed: Credential) => void;
}

/** Follows certificate files until the result is disposed of. One that cannot be used is logged, and the previous one stays in use. */
export function followCertificateFiles(files: CertificateFiles, options: CertificateFilesOptions): Disposable {
  const { known } = options;
  const { serving, clientAuthorities, proxyAuthorities, proxyClient } = files;
  const watches: Disposable[] = [];
  const { clock, log, use, useProxyClient } = options;
  const follow = (paths: readonly string[], texts: readonly string[], take: Take): void => {
    watches.push(
      watchFiles(paths, {
        clock,
        known: texts,
        changed: (fresh) => {
          take(...fresh);
          log.info('certificates reloaded', { files: paths });
        },
        failed: (error) => log.error('certificates cannot be used', { files: paths, error: messageOf(error) }),
      }),
    );
  };
  if (serving !== undefined) {
    const { certificate = '', privateKey = '' } = known.serving ?? {};
    follow([serving.certificate, serving.privateKey], [certificate, privateKey], (...texts) => {
      const pair = readPair(...texts);
      use({ serving: { certificate: pair.certificate, key: pair.privateKey } });
    });
  }
  if (proxyClient !== undefined) {
    const { certificate = '', privateKey = '' } = known.proxyClient ?? {};
    const paths = [proxyClient.certificate, proxyClient.privateKey];
    follow(paths, [certificate, privateKey], (...texts) => useProxyClient(readPair(...texts)));
  }
  if (clientAuthorities !== undefined)
    follow([clientAuthorities], [known.clientAuthorities ?? ''], (pem = '') =>
      use({ clientAuthorities: checked(pem) }),
    );
  if (proxyAuthorities !== undefined)
    follow([proxyAuthorities], [known.proxyAuthorities ?? ''], (pem = '') => use({ proxyAuthorities: checked(pem) }));
  return {
    [Symbol.dispose]() {
      for (const watch of watches) watch[Symbol.dispose]();
    },
  };
}

type Take = (...texts: readonly string[]) => void;

/** While only one of certificate and key has been replaced, they do not match, and are not used. */
function readPair(certificate = '', privateKey = ''): Credential {
  if (!new X509Certificate(certificate).checkPrivateKey(createPrivateKey(privateKey)))
    throw new Error('the private key is not that of the certificate');
  return { certificate, privateKey };
}

function checked(pem: string): string {
  const blocks = pem.match(/-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g) ?? [];
  const certificates = blocks.map((block) => new X509Certificate(block));
  if (certificates.length === 0) throw new Error('there is no certificate');
  return pem;
}
