import { X509Certificate } from 'node:crypto';
import type { ApiObject } from '../../api/index.ts';
import { type Clock, deepEqual } from '../../base/index.ts';
import type { ClusterPki } from '../pki/cluster-pki.ts';
import type { OwnObject } from './own-object.ts';

type Data = Readonly<Record<string, string>>;

/**
 * How extension API servers learn whom to trust: read by the aggregation layer's servers. Servers that share a store may have
 * different authorities, so each adds its own to what is there; what has expired is left out.
 */
export function extensionAuthentication(pki: ClusterPki, clock: Pick<Clock, 'now'>): OwnObject {
  const data: Data = {
    'client-ca-file': pki.authority.certificate,
    'requestheader-client-ca-file': pki.frontProxyAuthority.certificate,
    'requestheader-allowed-names': '["front-proxy-client"]',
    'requestheader-extra-headers-prefix': '["X-Remote-Extra-"]',
    'requestheader-group-headers': '["X-Remote-Group"]',
    'requestheader-username-headers': '["X-Remote-User"]',
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
  const valid = certificates(known).filter((pem) => !hasExpired(pem, clock.now()));
  return [...new Set([...valid, ...certificates(own)])].map((pem) => `${pem}\n`).join('');
}

/** What somebody else has broken counts for nothing. */
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
    return true; // what cannot be read vouches for nobody
  }
}
