import { tokenWebhook, webhookServer, type WebhookServer } from 'keelson';

/** Tokens of badges: `badge-` and a number that the company has given out. */
const badges = new Map([
  ['badge-7', { name: 'ada', uid: '7', groups: ['engineers'] }],
  ['badge-8', { name: 'bob', uid: '8', groups: ['visitors'] }],
]);

/** Authenticates bearer tokens of badges for an API server. */
export function badgeServer(port = 0): WebhookServer {
  return webhookServer({
    port,
    handlers: {
      '/authenticate': tokenWebhook((token) => badges.get(token)),
    },
  });
}
