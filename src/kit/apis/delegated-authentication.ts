import { X509Certificate } from 'node:crypto';
import { unauthorized } from '../../api/client.ts';
import type { Clock, DeepReadonly } from '../../base/index.ts';
import { type Client, type ConfigMap, TokenReview } from '../../client/index.ts';
import type { ApiCall } from './api-call.ts';
import type { ApiUser } from './api-storage.ts';
import { DecisionCache } from './decision-cache.ts';

/** The authorities to trust, from the cluster's ConfigMap `extension-apiserver-authentication`. */
interface Trust {
  readonly clients: readonly X509Certificate[];
  readonly proxies: readonly X509Certificate[];
  /** Allowed common names of front proxies; empty allows any. */
  readonly proxyNames: readonly string[];
  readonly headers: Readonly<Record<'user' | 'uid' | 'group' | 'extra', readonly string[]>>;
}

const NO_TRUST: Trust = {
  clients: [],
  proxies: [],
  proxyNames: [],
  headers: { user: ['x-remote-user'], uid: ['x-remote-uid'], group: ['x-remote-group'], extra: ['x-remote-extra-'] },
};

const ANONYMOUS: ApiUser = { name: 'system:anonymous', groups: ['system:unauthenticated'] };
const AUTHENTICATED = 'system:authenticated';
const TOKEN_MS = 10_000;
/** Requests share reviews, so none of them may abort one; this timeout does. */
const REVIEW_TIMEOUT_MS = 10_000;

/** Authenticates callers: by the headers of the cluster's API server, a client certificate, or a token. */
export class DelegatedAuthentication {
  readonly #client: Client;
  readonly #clock: Clock;
  readonly #tokens: DecisionCache<ApiUser | undefined>;
  #trust = NO_TRUST;

  constructor(client: Client, clock: Clock) {
    this.#client = client;
    this.#clock = clock;
    this.#tokens = new DecisionCache(clock, () => TOKEN_MS);
  }

  /** Adopts the settings of the ConfigMap; a missing setting means that nothing is trusted in that way. */
  trust(configMap: DeepReadonly<ConfigMap> | undefined): void {
    const data = configMap?.data ?? {};
    const list = (name: string, fallback: readonly string[] = []): readonly string[] =>
      namesIn(data[`requestheader-${name}`]) ?? fallback;
    const { user, uid, group, extra } = NO_TRUST.headers;
    this.#trust = {
      clients: certificatesIn(data['client-ca-file']),
      proxies: certificatesIn(data['requestheader-client-ca-file']),
      proxyNames: list('allowed-names'),
      headers: {
        user: small(list('username-headers', user)),
        uid: small(list('uid-headers', uid)),
        group: small(list('group-headers', group)),
        extra: small(list('extra-headers-prefix', extra)),
      },
    };
  }

  /** Authenticates a request; refuses invalid tokens. */
  async identify(call: ApiCall): Promise<ApiUser> {
    const { certificate: shown } = call;
    const { clients, proxies, proxyNames } = this.#trust;
    if (shown !== undefined && this.#isFrom(shown, proxies)) {
      const name = subjectOf(shown, 'CN')[0] ?? '';
      const user = proxyNames.length === 0 || proxyNames.includes(name) ? this.remoteUser(call) : undefined;
      if (user !== undefined) return user;
    }
    if (shown !== undefined && this.#isFrom(shown, clients)) {
      const name = subjectOf(shown, 'CN')[0] ?? '';
      if (name !== '') return { name, groups: [...subjectOf(shown, 'O'), AUTHENTICATED] };
    }
    const [, token] = /^bearer +(\S+) *$/i.exec(call.header('authorization') ?? '') ?? [];
    if (token === undefined) return ANONYMOUS;
    const user = await this.#tokens.get(token, () => this.#review(token));
    if (user === undefined) throw unauthorized();
    return user;
  }

  /** The user in the headers of a request, which the caller must have found to come from a trusted front proxy. */
  remoteUser(call: ApiCall): ApiUser | undefined {
    const { headers } = this.#trust;
    const first = (names: readonly string[]): string | undefined =>
      names.flatMap((header) => valuesOf(call, header)).find((value) => value !== '');
    const name = first(headers.user);
    if (name === undefined) return undefined;
    const uid = first(headers.uid);
    const extra = headers.extra.flatMap((prefix) =>
      call.headerNames
        .filter((header) => header.startsWith(prefix))
        .map((header) => [unescaped(header.slice(prefix.length)), valuesOf(call, header)] as const),
    );
    return {
      name,
      groups: withAuthenticated(
        name,
        headers.group.flatMap((header) => valuesOf(call, header)),
      ),
      ...(uid === undefined ? {} : { uid }),
      ...(extra.length === 0 ? {} : { extra: Object.fromEntries(extra) }),
    };
  }

  async #review(token: string): Promise<ApiUser | undefined> {
    const review = await this.#client.kind(TokenReview).create({ spec: { token } }, { timeout: REVIEW_TIMEOUT_MS });
    const { authenticated = false, user } = review.status ?? {};
    if (!authenticated || user?.username === undefined) return undefined;
    const { username: name, uid, groups = [], extra } = user;
    return {
      name,
      groups: withAuthenticated(name, groups),
      ...(uid === undefined ? {} : { uid }),
      ...(extra === undefined ? {} : { extra }),
    };
  }

  #isFrom(shown: X509Certificate, authorities: readonly X509Certificate[]): boolean {
    const now = this.#clock.now();
    if (now < Date.parse(shown.validFrom) || now > Date.parse(shown.validTo)) return false;
    if (shown.keyUsage !== undefined && !shown.keyUsage.includes(CLIENT_AUTH)) return false;
    return authorities.some((authority) => shown.checkIssued(authority) && shown.verify(authority.publicKey));
  }
}

/** The key usage that a certificate must include if it lists any. */
const CLIENT_AUTH = '1.3.6.1.5.5.7.3.2';

function namesIn(text: string | undefined): readonly string[] | undefined {
  if (text === undefined) return undefined;
  const names: unknown = JSON.parse(text);
  return Array.isArray(names) ? names.filter((name) => typeof name === 'string') : undefined;
}

function small(names: readonly string[]): readonly string[] {
  return names.map((name) => name.toLowerCase());
}

function certificatesIn(bundle = ''): readonly X509Certificate[] {
  const blocks = bundle.match(/-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g) ?? [];
  return blocks.map((pem) => new X509Certificate(pem));
}

/** The values of one attribute of a subject, which has one line per attribute. */
function subjectOf({ subject }: X509Certificate, part: string): readonly string[] {
  return (subject ?? '')
    .split('\n')
    .flatMap((line) => (line.startsWith(`${part}=`) ? [line.slice(part.length + 1)] : []));
}

/** Adds the group of all authenticated users. */
function withAuthenticated(name: string, groups: readonly string[]): readonly string[] {
  const isSaid = name === ANONYMOUS.name || groups.includes(AUTHENTICATED) || groups.includes('system:unauthenticated');
  return isSaid ? groups : [...groups, AUTHENTICATED];
}

/** The values of a header, decoded as UTF-8: Node decodes each byte as one character. */
function valuesOf(call: ApiCall, header: string): readonly string[] {
  return call.headers(header).map((value) => Buffer.from(value, 'latin1').toString());
}

function unescaped(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text; // not a valid escape: keep it literally
  }
}
