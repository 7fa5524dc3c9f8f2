import { forbidden, type StatusError } from '../../api/index.ts';
import type { Authorizer } from '../access/authorizer.ts';
import type { AccessMetrics } from '../metrics/access-metrics.ts';
import type { Call } from '../request/call.ts';
import type { Encode, Stage } from './stage.ts';

/** Lets through what an authorizer allows. */
export function authorize(authorizer: Authorizer, encode: Encode, metrics: AccessMetrics): Stage {
  return async (call, next) => {
    const start = metrics.now();
    const asked = authorizer.authorize(call);
    const decision = asked instanceof Promise ? await asked : asked;
    metrics.authorized(RESULTS[decision.verdict], start);
    if (decision.verdict === 'allow') return next(call);
    return encode({ type: 'status', status: explain(call, decision.reason).status, headers: NO_SNIFFING }, call);
  };
}

const RESULTS = { allow: 'allowed', deny: 'denied', noOpinion: 'no-opinion' } as const;

/** The message quotes what the client sent, so nothing in it may be taken for HTML. */
const NO_SNIFFING = { 'x-content-type-options': 'nosniff' };

function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

function explain({ info, user }: Call, reason: string): StatusError {
  const suffix = reason === '' ? '' : `: ${reason}`;
  if (!info.isResource) {
    const why = `User ${JSON.stringify(user.name)} cannot ${info.verb} path ${JSON.stringify(info.path)}`;
    return forbidden({ group: '', resource: '' }, '', escapeHtml(why) + suffix);
  }
  const resource = info.subresource === '' ? info.resource : `${info.resource}/${info.subresource}`;
  const where = info.namespace === '' ? 'at the cluster scope' : `in the namespace ${JSON.stringify(info.namespace)}`;
  const why =
    `User ${JSON.stringify(user.name)} cannot ${info.verb} resource ${JSON.stringify(resource)} ` +
    `in API group ${JSON.stringify(info.group)} ${where}`;
  return forbidden({ group: info.group, resource: info.resource }, info.name, escapeHtml(why) + suffix);
}
