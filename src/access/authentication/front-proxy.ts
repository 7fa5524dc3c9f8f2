import type { Authenticator, Call, UserInfo } from '../../apiserver/index.ts';
import { extraIn } from './extra-headers.ts';

/** Which front proxies are trusted, and in which headers they name the user. */
export interface FrontProxyOptions {
  /** PEM of the authorities that sign front proxies' client certificates. */
  readonly authorities: string;
  /** Accepted common names of certificates; empty accepts all that the authorities signed. */
  readonly allowedNames: readonly string[];
  readonly usernameHeaders: readonly string[];
  readonly uidHeaders: readonly string[];
  readonly groupHeaders: readonly string[];
  readonly extraHeaderPrefixes: readonly string[];
}

/** The headers that extension API servers receive. */
export const STANDARD_PROXY_HEADERS = {
  usernameHeaders: ['X-Remote-User'],
  uidHeaders: ['X-Remote-Uid'],
  groupHeaders: ['X-Remote-Group'],
  extraHeaderPrefixes: ['X-Remote-Extra-'],
} as const;

/** Authenticates the user that a proxy names in headers, when the proxy presents a trusted certificate. */
export class FrontProxyAuthenticator implements Authenticator {
  readonly name = 'front proxy';
  readonly #options: Omit<FrontProxyOptions, 'authorities'>;

  constructor(options: Omit<FrontProxyOptions, 'authorities'>) {
    const lower = (names: readonly string[]): readonly string[] => names.map((name) => name.toLowerCase());
    this.#options = {
      allowedNames: options.allowedNames,
      usernameHeaders: lower(options.usernameHeaders),
      uidHeaders: lower(options.uidHeaders),
      groupHeaders: lower(options.groupHeaders),
      extraHeaderPrefixes: lower(options.extraHeaderPrefixes),
    };
  }

  /** Without a trusted certificate the headers are ignored, and other authenticators are asked. */
  authenticate(call: Call): UserInfo | undefined | 'invalid' {
    const { proxyCertificate } = call.request;
    const { allowedNames, usernameHeaders, uidHeaders, groupHeaders, extraHeaderPrefixes } = this.#options;
    if (proxyCertificate === undefined) return undefined;
    if (allowedNames.length > 0 && !allowedNames.includes(proxyCertificate.commonName)) return 'invalid';
    const first = (names: readonly string[]): string =>
      names.map((name) => call.request.headers(name)[0] ?? '').find((value) => value !== '') ?? '';
    const name = first(usernameHeaders);
    if (name === '') return undefined;
    const uid = first(uidHeaders);
    const groups = groupHeaders.flatMap((header) => call.request.headers(header)).filter((group) => group !== '');
    return { name, ...(uid === '' ? {} : { uid }), groups, extra: extraIn(call.request, extraHeaderPrefixes) };
  }
}

/** Returns a function that says, by lower-case name, whether proxies name users in a header. */
export function proxyHeaders(options: FrontProxyOptions): (name: string) => boolean {
  const { usernameHeaders, uidHeaders, groupHeaders, extraHeaderPrefixes } = options;
  const names = new Set([...usernameHeaders, ...uidHeaders, ...groupHeaders].map((name) => name.toLowerCase()));
  const prefixes = extraHeaderPrefixes.map((prefix) => prefix.toLowerCase());
  return (name) => names.has(name) || prefixes.some((prefix) => name.startsWith(prefix));
}
