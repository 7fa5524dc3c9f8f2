import { createHash } from 'node:crypto';
import type { PeerCertificate, TLSSocket } from 'node:tls';
import { type Clock, type Logger, messageOf } from '../../base/index.ts';
import type { Client } from '../../client/index.ts';
import { type NodeRequest, refusal, type TextAnswer } from './node-request.ts';

/** Lets a request pass, or refuses it. */
export type RequestGuard = (request: NodeRequest) => Promise<TextAnswer | undefined>;

interface User {
  readonly username: string;
  readonly uid?: string;
  readonly groups: readonly string[];
  readonly extra?: Readonly<Record<string, readonly string[]>>;
}

interface Known<T> {
  readonly value: T;
  readonly untilMs: number;
}

/** Who may ask, and for how long answers of the API server about them are kept. */
export interface AccessPolicy {
  /** Whether callers without credentials are `system:anonymous`; otherwise they are refused. */
  readonly allowsAnonymous: boolean;
  /** Whether the API server is asked about tokens; otherwise no token counts. */
  readonly reviewsTokens: boolean;
  /** Whether the API server is asked what callers may do; otherwise they may do everything. */
  readonly reviewsAccess: boolean;
  readonly tokenTtlMs: number;
  readonly allowedTtlMs: number;
  readonly refusedTtlMs: number;
}

/** The defaults of a kubelet. */
const DEFAULT_POLICY: AccessPolicy = {
  allowsAnonymous: false,
  reviewsTokens: true,
  reviewsAccess: true,
  tokenTtlMs: 2 * 60_000,
  allowedTtlMs: 5 * 60_000,
  refusedTtlMs: 30_000,
};
const ANONYMOUS: User = { username: 'system:anonymous', groups: ['system:unauthenticated'] };
/** Maximum number of entries of each cache; the oldest are dropped. */
const MAX_KNOWN = 1000;

export interface NodeAccessParts {
  readonly node: string;
  /** The node's client, for token and access reviews. */
  readonly client: Client;
  readonly clock: Clock;
  readonly log: Logger;
  /** Default a kubelet's. */
  readonly policy?: AccessPolicy;
}

/** Authenticates and authorizes requests to a node through the API server, as a kubelet does in webhook mode. */
export class NodeAccess {
  readonly #parts: NodeAccessParts;
  readonly #policy: AccessPolicy;
  readonly #users = new Map<string, Known<User | undefined>>();
  readonly #decisions = new Map<string, Known<boolean>>();

  constructor(parts: NodeAccessParts) {
    this.#parts = parts;
    this.#policy = parts.policy ?? DEFAULT_POLICY;
  }

  /** For the requests of one connection. */
  guard(socket: TLSSocket): RequestGuard {
    const certified = socket.authorized ? certifiedUser(socket.getPeerCertificate()) : undefined;
    return async (request) => {
      let user: User | undefined;
      try {
        user = certified ?? (await this.#tokenUser(request));
      } catch (error) {
        this.#parts.log.warn('caller cannot be authenticated', { error: messageOf(error) });
      }
      if (user === undefined && this.#policy.allowsAnonymous && request.header('authorization') === undefined)
        user = ANONYMOUS;
      return user === undefined ? refusal(401, 'Unauthorized') : this.#judge(user, request);
    };
  }

  async #judge(user: User, request: NodeRequest): Promise<TextAnswer | undefined> {
    if (!this.#policy.reviewsAccess) return undefined;
    const { verb, subresources } = attributesOf(request);
    for (const subresource of subresources) {
      try {
        if (await this.#isAllowed(user, { verb, subresource }, request.signal)) return undefined;
      } catch (error) {
        this.#parts.log.warn('caller cannot be authorized', { error: messageOf(error), user: user.username });
        const asked = `user=${user.username}, verb=${verb}, resource=nodes, subresource=${subresource}`;
        return refusal(500, `Authorization error (${asked})`);
      }
    }
    const asked = `user=${user.username}, verb=${verb}, resource=nodes, subresource(s)=[${subresources.join(' ')}]`;
    return refusal(403, `Forbidden (${asked})\n`);
  }

  async #tokenUser({ header, signal }: NodeRequest): Promise<User | undefined> {
    const token = /^bearer +(\S+)$/i.exec(header('authorization') ?? '')?.[1];
    if (token === undefined || !this.#policy.reviewsTokens) return undefined;
    const { client, clock } = this.#parts;
    return remembered(this.#users, createHash('sha256').update(token).digest('base64'), {
      clock,
      ttlMs: () => this.#policy.tokenTtlMs,
      find: async () => {
        const reviews = client.authentication.v1.tokenreviews;
        const { status } = await reviews.create({ metadata: {}, spec: { token } }, { signal });
        if (status?.authenticated !== true) return undefined;
        const { username = '', uid, groups = [], extra } = status.user ?? {};
        return { username, groups, ...(uid === undefined ? {} : { uid }), ...(extra === undefined ? {} : { extra }) };
      },
    });
  }

  #isAllowed(
    { username, uid, groups, extra }: User,
    { verb, subresource }: { readonly verb: string; readonly subresource: string },
    signal: AbortSignal,
  ): Promise<boolean> {
    const { client, clock, node } = this.#parts;
    const resourceAttributes = { verb, version: 'v1', resource: 'nodes', subresource, name: node };
    const spec = {
      user: username,
      groups: [...groups],
      resourceAttributes,
      ...(uid === undefined ? {} : { uid }),
      ...(extra === undefined ? {} : { extra }),
    };
    return remembered(this.#decisions, createHash('sha256').update(JSON.stringify(spec)).digest('base64'), {
      clock,
      ttlMs: (isAllowed) => (isAllowed ? this.#policy.allowedTtlMs : this.#policy.refusedTtlMs),
      find: async () => {
        const reviews = client.authorization.v1.subjectaccessreviews;
        return (await reviews.create({ metadata: {}, spec }, { signal })).status?.allowed === true;
      },
    });
  }
}

/** The cached decision, or a new one. */
async function remembered<T>(
  known: Map<string, Known<T>>,
  key: string,
  { clock, ttlMs, find }: { readonly clock: Clock; ttlMs(value: T): number; find(): Promise<T> },
): Promise<T> {
  const found = known.get(key);
  if (found !== undefined && clock.now() < found.untilMs) return found.value;
  const value = await find();
  known.delete(key);
  known.set(key, { value, untilMs: clock.now() + ttlMs(value) });
  const [oldest] = known.keys();
  if (oldest !== undefined && known.size > MAX_KNOWN) known.delete(oldest);
  return value;
}

function certifiedUser({ subject }: PeerCertificate): User | undefined {
  const all = (values: string | string[] | undefined): readonly string[] =>
    values === undefined ? [] : Array.isArray(values) ? values : [values];
  const [username] = all(subject?.CN);
  if (username === undefined) return undefined;
  return { username, groups: [...all(subject.O), 'system:authenticated'] };
}

const VERBS: Readonly<Record<string, string>> = {
  POST: 'create',
  GET: 'get',
  PUT: 'update',
  PATCH: 'patch',
  DELETE: 'delete',
};

/** Paths with a separate subresource. For some of them, access to `proxy` is enough, too. */
const SUBRESOURCES: readonly (readonly [path: string, subresources: readonly string[]])[] = [
  ['pods', ['pods', 'proxy']],
  ['healthz', ['healthz', 'proxy']],
  ['configz', ['configz', 'proxy']],
  ['runningpods', ['pods', 'proxy']],
  ['stats', ['stats']],
  ['metrics', ['metrics']],
  ['logs', ['log']],
  ['checkpoint', ['checkpoint']],
  ['statusz', ['statusz']],
  ['flagz', ['configz']],
];

/** The subresources of which the caller needs one. */
export function attributesOf({ method, path }: Pick<NodeRequest, 'method' | 'path'>): {
  readonly verb: string;
  readonly subresources: readonly string[];
} {
  const [, root = ''] = path.split('/');
  const found = SUBRESOURCES.find(([name]) => name === root);
  return { verb: VERBS[method] ?? '', subresources: found?.[1] ?? ['proxy'] };
}
