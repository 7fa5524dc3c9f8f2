import { authorizationWebhook, webhookServer, type WebhookServer } from 'keelson';

/** Teams by their namespace. */
const owners = new Map([
  ['shop', 'team-shop'],
  ['search', 'team-search'],
]);

/** Lets a team do everything in its namespace, and keeps all other users from its Secrets. */
export function teamServer(port = 0): WebhookServer {
  const authorize = authorizationWebhook(({ groups, resource }) => {
    const owner = owners.get(resource?.namespace ?? '');
    if (owner === undefined) return 'noOpinion';
    if (groups.includes(owner)) return 'allow';
    return resource?.resource === 'secrets' ? { verdict: 'deny', reason: `they are ${owner}'s` } : 'noOpinion';
  });
  return webhookServer({ port, handlers: { '/authorize': authorize } });
}
