import { type ApiObject, notFound } from '../../api/index.ts';
import type { ObjectsOf, ServerObjects } from '../../apiserver/index.ts';
import type { BoundClaims, Reference } from './token-claims.ts';

/** How far the clocks of a token's issuer and of this server may differ. */
export const LEEWAY_MS = 60_000;

/** The objects that tokens depend on: from the cache, and from the store before a token is refused. */
export class TokenObjects {
  readonly accounts: ObjectsOf;
  readonly #bound: Readonly<Record<'pod' | 'secret' | 'node', ObjectsOf>>;

  constructor(objects: ServerObjects) {
    this.accounts = objects.of('', 'serviceaccounts');
    this.#bound = {
      pod: objects.of('', 'pods'),
      secret: objects.of('', 'secrets'),
      node: objects.of('', 'nodes'),
    };
  }

  async secret(namespace: string, name: string): Promise<ApiObject | undefined> {
    return find(this.#bound.secret, { namespace, name }, () => true);
  }

  async account(namespace: string, { name, uid }: Reference): Promise<ApiObject | undefined> {
    return find(this.accounts, { namespace, name }, (found) => found.metadata.uid === uid);
  }

  /** Why the token is no longer valid, with upstream's text, because one of its objects is gone; undefined when it is valid. */
  async problem(claims: BoundClaims, nowMs: number): Promise<string | undefined> {
    const { namespace, serviceAccount } = claims;
    const goneBefore = nowMs - LEEWAY_MS;
    const account = await this.account(namespace, serviceAccount);
    if (account === undefined) return notFound({ group: '', resource: 'serviceaccounts' }, serviceAccount.name).message;
    const { uid = '' } = account.metadata;
    if (uid !== serviceAccount.uid) return `service account UID (${uid}) does not match claim (${serviceAccount.uid})`;
    if (isGone(account, goneBefore)) return `service account ${namespace}/${serviceAccount.name} has been deleted`;
    return (
      (await this.#boundProblem('secret', namespace, { reference: claims.secret, goneBefore })) ??
      (await this.#boundProblem('pod', namespace, { reference: claims.pod, goneBefore })) ??
      (claims.pod === undefined
        ? await this.#boundProblem('node', '', { reference: claims.node, goneBefore })
        : undefined)
    );
  }

  async #boundProblem(
    kind: 'pod' | 'secret' | 'node',
    namespace: string,
    { reference, goneBefore }: { readonly reference: Reference | undefined; readonly goneBefore: number },
  ): Promise<string | undefined> {
    if (reference === undefined) return undefined;
    const { name } = reference;
    const found = await find(this.#bound[kind], { namespace, name }, ({ metadata }) => metadata.uid === reference.uid);
    if (found === undefined) return INVALIDATED;
    const { uid = '' } = found.metadata;
    if (uid !== reference.uid) {
      const title = kind === 'pod' ? 'pod' : kind;
      return `${title} UID (${uid}) does not match service account ${title} ref claim (${reference.uid})`;
    }
    return isGone(found, goneBefore) ? INVALIDATED : undefined;
  }
}

const INVALIDATED = 'service account token has been invalidated';

async function find(
  objects: ObjectsOf,
  { namespace, name }: { readonly namespace: string; readonly name: string },
  isWanted: (found: ApiObject) => boolean,
): Promise<ApiObject | undefined> {
  if (name === '' || name.includes('/') || namespace.includes('/')) return undefined; // the name would lead to another key
  const found = await objects.get(namespace, name);
  return found !== undefined && isWanted(found) ? found : objects.newest(namespace, name);
}

function isGone({ metadata }: ApiObject, beforeMs: number): boolean {
  const { deletionTimestamp } = metadata;
  return deletionTimestamp !== undefined && deletionTimestamp !== null && Date.parse(deletionTimestamp) < beforeMs;
}
