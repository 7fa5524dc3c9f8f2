import { X509Certificate } from 'node:crypto';
import type { ApiObject } from '../../api/index.ts';
import { type Clock, deepEqual } from '../../base/index.ts';
import type { FrontProxyOptions } from '../../access/index.ts';
import type { OwnObject } from './own-object.ts';

/** The authorities whose certificates count, as PEM. */
export interface TrustedAuthorities {
  readonly clientAuthorities: string;
  readonly frontProxy: FrontProxyOptions;
}

type Data = Readonly<Record<string, string>>;

/**
 * How extension API servers learn which authorities to trust: they read it. Servers that share a store may have
 * different authorities, so each adds its own to what is there; what has expired is left out.
 */
export function extensionAuthentication(trusted: TrustedAuthorities, clock: Pick<Clock, 'now'>): OwnObject {
  const { clientAuthorities, frontProxy } = trusted;
  const data: Data = {
    'client-ca-file': clientAuthorities,
    'requestheader-client-ca-file': frontProxy.authorities,
    'requestheader-allowed-names': JSON.stringify(frontProxy.allowedNames),
    'requestheader-extra-headers-prefix': JSON.stringify(frontProxy.extraHeaderPrefixes),
    'requestheader-group-headers': JSON.stringify(frontProxy.groupHeaders),
    ...(frontProxy.uidHeaders.length === 0
      ? {}
      : { 'requestheader-uid-headers': JSON.stringify(frontProxy.uidHeaders) }),
    'requestheader-username-headers': JSON.stringify(frontProxy.usernameHeaders),
  };
  return {
    kind: { group: '', plural: 'configmaps', root: '/api/v1' },
    object: { metadata: { name: 'extension-apiserver-authentication', namespace: 'kube-system' }, data },
    amend: (current) => {
      const known = (current as ApiObject & { readonly data?: Data }).data ?? {};
      const combined = Object.entries(data).map(([name, own]) => [name, combine(known[name] ?? '', own, clock)]);
      const wanted = { ...known, ...(Object.fromEntries(combined) as Data) };
      return deepEqual(known, wanted) ? undefined : { type: 'update', object: { ...current, data: wanted } };
    },
  };
}

function combine(known: string, own: string, clock: Pick<Clock, 'now'>): string {
  if (own.startsWith('[')) return JSON.stringify([...new Set([...names(known), ...names(own)])]);
  const owned = certificates(own);
  const valid = certificates(known).filter((pem) => owned.includes(pem) || !hasExpired(pem, clock.now()));
  return [...new Set([...valid, ...owned])].map((pem) => `${pem}\n`).join('');
}

/** A value that another writer has broken is ignored. */
function names(text: string): string[] {
  try {
    const list: unknown = JSON.parse(text);
    return Array.isArray(list) ? list.filter((name) => typeof name === 'string') : [];
  } catch {
    return [];
  }
}

function certificates(text: string): readonly string[] {
  return text.match(/-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g) ?? [];
}

function hasExpired(pem: string, nowMs: number): boolean {
  try {
    return Date.parse(new X509Certificate(pem).validTo) < nowMs;
  } catch {
    return true; // a certificate that cannot be read is dropped, as an expired one is
  }
}
