import { createSecureContext } from 'node:tls';
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

/** Key exchanges by their numbers in TLS, which are those of Go, with the names of OpenSSL. */
const CURVES: Readonly<Record<number, string>> = {
  23: 'P-256',
  24: 'P-384',
  25: 'P-521',
  29: 'X25519',
  4587: 'SecP256r1MLKEM768',
  4588: 'X25519MLKEM768',
  4589: 'SecP384r1MLKEM1024',
};
const MAX_CURVE = 65_535;

/** Versions, suites and key exchanges of the port. TLS below 1.2 is never offered. */
export function tlsOf({
  tlsCipherSuites,
  tlsMinVersion,
  tlsCurvePreferences,
}: Pick<KubeletSettings, 'tlsCipherSuites' | 'tlsMinVersion' | 'tlsCurvePreferences'>): Pick<
  TlsIdentity,
  'minVersion' | 'ciphers' | 'curves'
> {
  const unknown = tlsCipherSuites.find((name) => !Object.hasOwn(SUITES, name) && !NEWER.includes(name));
  if (unknown !== undefined)
    throw new FlagError(
      `tlsCipherSuites (--tls-cipher-suites): Cipher suite ${unknown} not supported or doesn't exist`,
    );
  const ciphers = tlsCipherSuites.flatMap((name) => SUITES[name] ?? []);
  return {
    ...(tlsMinVersion === 'VersionTLS13' ? { minVersion: 'TLSv1.3' } : {}),
    ...(tlsCipherSuites.length === 0 ? {} : { ciphers }),
    ...(tlsCurvePreferences.length === 0 ? {} : { curves: curvesOf(tlsCurvePreferences) }),
  };
}

function curvesOf(ids: readonly number[]): readonly string[] {
  const names = ids.map((id, index) => {
    const refuse = (problem: string): FlagError =>
      new FlagError(`tlsCurvePreferences: curve preference ${id} ${problem}`);
    if (id < 1 || id > MAX_CURVE)
      throw new FlagError(`tlsCurvePreferences: curve preference ${id} is out of range (must be 1-${MAX_CURVE})`);
    if (ids.indexOf(id) !== index) throw new FlagError(`tlsCurvePreferences: duplicate curve preference ${id}`);
    const name = CURVES[id];
    if (name === undefined) throw refuse('is not known');
    try {
      createSecureContext({ ecdhCurve: name });
    } catch {
      throw refuse(`(${name}) is not supported by the OpenSSL ${process.versions.openssl} of this Node.js`);
    }
    return name;
  });
  return names;
}
