import type { App } from '../kit/index.ts';
import type { ServerExtensions } from './server-extensions.ts';

/** The in-process host name of the first app that serves webhooks. */
const FIRST_HOST = 'webhooks-1.in-process.invalid';

/**
 * The server options for apps that authenticate tokens or authorize requests. Unlike other webhooks, which objects
 * configure, these must be set when the server starts.
 */
export function askedApps(
  apps: readonly App[],
  given: ServerExtensions,
): Pick<ServerExtensions, 'authentication' | 'authorization'> {
  const asked = apps.filter(isAsked);
  const [app] = asked;
  if (app === undefined) return {};
  if (asked.length > 1)
    throw new Error(
      `Cannot start the cluster: ${asked.map(({ name }) => `"${name}"`).join(' and ')} are both asked who comes and what they may do, and one can be`,
    );
  const webhook = (path: string) => ({ target: { url: `https://${FIRST_HOST}${path}` }, credential: {} });
  const { authentication, authorization } = given;
  return {
    ...(app.webhookPaths.includes('/authenticate')
      ? {
          authentication: {
            ...authentication,
            tokenWebhook: { webhook: webhook('/authenticate'), version: 'v1' as const },
          },
        }
      : {}),
    ...(app.webhookPaths.includes('/authorize')
      ? {
          authorization: {
            modes: ['Node', 'RBAC', 'Webhook'],
            ...authorization,
            webhook: { webhook: webhook('/authorize'), version: 'v1' as const },
          },
        }
      : {}),
  };
}

/**
 * The apps in the order in which they start: the one that authenticates or authorizes comes first, since its host name
 * depends on its position.
 */
export function inOrderOfAsking(apps: readonly App[]): readonly App[] {
  return [...apps].sort((left, right) => Number(isAsked(right)) - Number(isAsked(left)));
}

function isAsked({ webhookPaths }: App): boolean {
  return webhookPaths.includes('/authenticate') || webhookPaths.includes('/authorize');
}
