import { createPrivateKey, X509Certificate } from 'node:crypto';
import type { RenewedCertificates } from '../../apiserver/index.ts';
import { type Clock, type Logger, messageOf, watchFiles } from '../../base/index.ts';

/** Paths of PEM files that somebody else renews. */
export interface CertificateFiles {
  /** What the server shows, and its key. */
  readonly serving?: { readonly certificate: string; readonly privateKey: string };
  readonly clientAuthorities?: string;
  readonly proxyAuthorities?: string;
}

/** The same as they were read at the start. */
export interface ReadCertificates {
  readonly serving?: { readonly certificate: string; readonly privateKey: string };
  readonly clientAuthorities?: string;
  readonly proxyAuthorities?: string;
}

export interface CertificateFilesOptions {
  readonly known: ReadCertificates;
  readonly clock: Clock;
  readonly log: Logger;
  readonly use: (renewed: RenewedCertificates) => void;
}

/** Follows certificate files until the result is disposed of; one that cannot be used is told of, and what was there counts on. */
export function followCertificateFiles(files: CertificateFiles, options: CertificateFilesOptions): Disposable {
  const { known } = options;
  const { serving, clientAuthorities, proxyAuthorities } = files;
  const watches: Disposable[] = [];
  const follow = (paths: readonly string[], texts: readonly string[], read: Read): void => {
    const { clock, log, use } = options;
    watches.push(
      watchFiles(paths, {
        clock,
        known: texts,
        changed: (fresh) => {
          use(read(...fresh));
          log.info('certificates reloaded', { files: paths });
        },
        failed: (error) => log.error('certificates cannot be used', { files: paths, error: messageOf(error) }),
      }),
    );
  };
  if (serving !== undefined) {
    const { certificate = '', privateKey = '' } = known.serving ?? {};
    follow([serving.certificate, serving.privateKey], [certificate, privateKey], readPair);
  }
  if (clientAuthorities !== undefined)
    follow([clientAuthorities], [known.clientAuthorities ?? ''], (pem = '') => ({ clientAuthorities: checked(pem) }));
  if (proxyAuthorities !== undefined)
    follow([proxyAuthorities], [known.proxyAuthorities ?? ''], (pem = '') => ({ proxyAuthorities: checked(pem) }));
  return {
    [Symbol.dispose]() {
      for (const watch of watches) watch[Symbol.dispose]();
    },
  };
}

type Read = (...texts: readonly string[]) => RenewedCertificates;

/** Between the writing of a certificate and that of its key they do not fit, and are not used. */
function readPair(certificate = '', key = ''): RenewedCertificates {
  if (!new X509Certificate(certificate).checkPrivateKey(createPrivateKey(key)))
    throw new Error('the private key is not that of the certificate');
  return { serving: { certificate, key } };
}

function checked(pem: string): string {
  const blocks = pem.match(/-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g) ?? [];
  const certificates = blocks.map((block) => new X509Certificate(block));
  if (certificates.length === 0) throw new Error('there is no certificate');
  return pem;
}
