import { forbidden, quoteGo, type StatusError } from '../../api/index.ts';
import type { AccessRequest } from './authorizer.ts';

/** The error for a user who may not do something, with upstream's text. */
export function refusal({ info, user }: Pick<AccessRequest, 'info' | 'user'>, reason: string): StatusError {
  const suffix = reason === '' ? '' : `: ${reason}`;
  if (!info.isResource) {
    const why = `User ${quoteGo(user.name)} cannot ${info.verb} path ${quoteGo(info.path)}`;
    return forbidden({ group: '', resource: '' }, '', escapeHtml(why) + suffix);
  }
  const resource = info.subresource === '' ? info.resource : `${info.resource}/${info.subresource}`;
  const where = info.namespace === '' ? 'at the cluster scope' : `in the namespace ${quoteGo(info.namespace)}`;
  const why =
    `User ${quoteGo(user.name)} cannot ${info.verb} resource ${quoteGo(resource)} ` +
    `in API group ${quoteGo(info.group)} ${where}`;
  return forbidden({ group: info.group, resource: info.resource }, info.name, escapeHtml(why) + suffix);
}

/** The message quotes the client's text, which browsers must not interpret as HTML. */
export function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
