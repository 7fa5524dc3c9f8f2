import type { TlsIdentity } from '../../../wire/listen/index.ts';
import { FlagError } from '../flag.ts';
import type { KubeletSettings } from './settings/kubelet-fields.ts';

/** Suites of TLS 1.2 by their names in Go, with those of OpenSSL. Older ones are not offered. */
const SUITES: Readonly<Record<string, string>> = {
  TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256: 'ECDHE-ECDSA-AES128-GCM-SHA256',
  TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256: 'ECDHE-RSA-AES128-GCM-SHA256',
  TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384: 'ECDHE-ECDSA-AES256-GCM-SHA384',
  TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384: 'ECDHE-RSA-AES256-GCM-SHA384',
  TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305: 'ECDHE-ECDSA-CHACHA20-POLY1305',
  TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256: 'ECDHE-ECDSA-CHACHA20-POLY1305',
  TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305: 'ECDHE-RSA-CHACHA20-POLY1305',
  TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256: 'ECDHE-RSA-CHACHA20-POLY1305',
};
/** Suites of TLS 1.3, which are always offered. */
const NEWER = ['TLS_AES_128_GCM_SHA256', 'TLS_AES_256_GCM_SHA384', 'TLS_CHACHA20_POLY1305_SHA256'];

/** Versions and suites of the port. TLS below 1.2 is never offered. */
export function tlsOf({
  tlsCipherSuites,
  tlsMinVersion,
}: Pick<KubeletSettings, 'tlsCipherSuites' | 'tlsMinVersion'>): Pick<TlsIdentity, 'minVersion' | 'ciphers'> {
  const unknown = tlsCipherSuites.find((name) => !Object.hasOwn(SUITES, name) && !NEWER.includes(name));
  if (unknown !== undefined)
    throw new FlagError(
      `tlsCipherSuites (--tls-cipher-suites): Cipher suite ${unknown} not supported or doesn't exist`,
    );
  const ciphers = tlsCipherSuites.flatMap((name) => SUITES[name] ?? []);
  return {
    ...(tlsMinVersion === 'VersionTLS13' ? { minVersion: 'TLSv1.3' } : {}),
    ...(tlsCipherSuites.length === 0 ? {} : { ciphers }),
  };
}
