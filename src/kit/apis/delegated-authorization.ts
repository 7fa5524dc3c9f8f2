import { forbidden, quoteGo } from '../../api/client.ts';
import type { Clock } from '../../base/index.ts';
import { type Client, SubjectAccessReview } from '../../client/index.ts';
import type { ApiTarget, ResourceTarget } from './api-call.ts';
import type { Api } from './api-resource.ts';
import { DecisionCache } from './decision-cache.ts';

interface Decision {
  readonly isAllowed: boolean;
  readonly reason: string;
}

/** What a user wants to do; `resource` is undefined for paths that are not resources. */
export interface AccessQuestion {
  readonly target: Pick<ApiTarget, 'user' | 'method' | 'path'>;
  readonly resource?: ResourceTarget & { readonly api: Pick<Api, 'group' | 'version'> };
}

const DECISION_MS = 10_000;
/** Requests share reviews, so none of them may abort one; this timeout does. */
const REVIEW_TIMEOUT_MS = 10_000;
const MASTERS = 'system:masters';

/** Asks the cluster's API server what users may do. */
export class DelegatedAuthorization {
  readonly #client: Client;
  readonly #decisions: DecisionCache<Decision>;

  constructor(client: Client, clock: Clock) {
    this.#client = client;
    this.#decisions = new DecisionCache(clock, () => DECISION_MS);
  }

  /** Throws if the user may not do this. */
  async authorize(question: AccessQuestion): Promise<void> {
    const { user } = question.target;
    if (user.groups.includes(MASTERS)) return;
    const spec = specOf(question);
    const { isAllowed, reason } = await this.#decisions.get(JSON.stringify(spec), async () => {
      const how = { timeout: REVIEW_TIMEOUT_MS };
      const { status } = await this.#client.kind(SubjectAccessReview).create({ spec }, how);
      return { isAllowed: status?.allowed === true && status.denied !== true, reason: status?.reason ?? '' };
    });
    if (!isAllowed) throw refusal(question, reason);
  }
}

function specOf({ target, resource }: AccessQuestion) {
  const { user, path, method } = target;
  const extra = Object.entries(user.extra ?? {}).map(([key, values]) => [key, [...values]] as const);
  const subject = {
    user: user.name,
    groups: [...user.groups],
    ...(user.uid === undefined ? {} : { uid: user.uid }),
    ...(extra.length === 0 ? {} : { extra: Object.fromEntries(extra) }),
  };
  if (resource === undefined) return { ...subject, nonResourceAttributes: { path, verb: method.toLowerCase() } };
  const { verb, namespace, plural, name, subresource, api } = resource;
  const { group, version } = api;
  return { ...subject, resourceAttributes: { verb, group, version, namespace, resource: plural, subresource, name } };
}

function refusal({ target, resource }: AccessQuestion, reason: string): Error {
  const who = `User ${quoteGo(target.user.name)} cannot`;
  const suffix = reason === '' ? '' : `: ${reason}`;
  if (resource === undefined) {
    const why = `${who} ${target.method.toLowerCase()} path ${quoteGo(target.path)}`;
    return forbidden({ group: '', resource: '' }, '', escaped(why) + suffix);
  }
  const { verb, namespace, plural, name, subresource, api } = resource;
  const what = quoteGo(subresource === '' ? plural : `${plural}/${subresource}`);
  const where = namespace === '' ? 'at the cluster scope' : `in the namespace ${quoteGo(namespace)}`;
  const why = `${who} ${verb} resource ${what} in API group ${quoteGo(api.group)} ${where}`;
  return forbidden({ group: api.group, resource: plural }, name, escaped(why) + suffix);
}

/** The message quotes what the client sent, so characters that HTML interprets are escaped. */
function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
