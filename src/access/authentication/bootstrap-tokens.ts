import { timingSafeEqual } from 'node:crypto';
import type { ApiObject } from '../../api/index.ts';
import type { Secret } from '../../api/types/core/v1.d.ts';
import type { ObjectsOf, ServerObjects } from '../../apiserver/index.ts';
import type { Clock } from '../../base/index.ts';
import { type TokenAuthenticator, type TokenFinding, UNKNOWN } from './token-authenticator.ts';

const TOKEN = /^([a-z0-9]{6})\.([a-z0-9]{16})$/;
const GROUP = 'system:bootstrappers';
const GROUP_NAME = /^system:bootstrappers:[a-z0-9:-]{0,255}[a-z0-9]$/;

type StoredSecret = ApiObject & Pick<Secret, 'type' | 'data'>;

/** Bootstrap tokens, with which new nodes join the cluster: each is a Secret in kube-system, which says until when it is valid. */
export class BootstrapTokens implements TokenAuthenticator {
  readonly name = 'bootstrap tokens';
  readonly #secrets: ObjectsOf;
  readonly #clock: Clock;

  constructor(objects: ServerObjects, clock: Clock) {
    this.#secrets = objects.of('', 'secrets');
    this.#clock = clock;
  }

  async authenticate(token: string): Promise<TokenFinding> {
    const [, id, secret] = TOKEN.exec(token) ?? [];
    if (id === undefined || secret === undefined) return UNKNOWN;
    const found = (await this.#secrets.get('kube-system', `bootstrap-token-${id}`)) as StoredSecret | undefined;
    if (found === undefined || !this.#counts(found, { id, secret })) return UNKNOWN;
    const groups = groupsOf(found);
    if (groups === undefined) return UNKNOWN;
    return { type: 'known', user: { name: `system:bootstrap:${id}`, groups } };
  }

  #counts(found: StoredSecret, { id, secret }: { readonly id: string; readonly secret: string }): boolean {
    const { metadata, type } = found;
    if ((metadata.deletionTimestamp ?? undefined) !== undefined || type !== 'bootstrap.kubernetes.io/token')
      return false;
    if (!isSame(member(found, 'token-secret'), secret) || member(found, 'token-id') !== id) return false;
    return !this.#hasExpired(found) && member(found, 'usage-bootstrap-authentication') === 'true';
  }

  /** A time that cannot be parsed counts as expired. */
  #hasExpired(found: StoredSecret): boolean {
    const expiration = member(found, 'expiration');
    if (expiration === '') return false;
    const endsMs = /^\d{4}-\d\d-\d\dT/.test(expiration) ? Date.parse(expiration) : NaN;
    return Number.isNaN(endsMs) || endsMs <= this.#clock.now();
  }
}

function member({ data }: StoredSecret, name: string): string {
  return Buffer.from(data?.[name] ?? '', 'base64').toString();
}

function isSame(left: string, right: string): boolean {
  const [one, other] = [Buffer.from(left), Buffer.from(right)];
  return one.length === other.length && timingSafeEqual(one, other);
}

/** The groups in the Secret; undefined when one is not a bootstrappers' group. */
function groupsOf(found: StoredSecret): readonly string[] | undefined {
  const more = member(found, 'auth-extra-groups');
  const named = more === '' ? [] : more.split(',');
  if (!named.every((group) => GROUP_NAME.test(group))) return undefined;
  return [...new Set([GROUP, ...named])].toSorted();
}
