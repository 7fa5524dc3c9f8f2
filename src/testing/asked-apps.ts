import type { App } from '../kit/index.ts';
import type { ServerExtensions } from './server-extensions.ts';

/** Where the first app that answers webhooks is reached within the process. */
const FIRST_HOST = 'webhooks-1.in-process.invalid';

/**
 * What the cluster's server has to be told of apps that it asks whose a token is, or what somebody may do: other webhooks are
 * configured by objects, these only when it is started.
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

/** The apps in the order in which they are run: the one that is asked comes first, since it is known by its place. */
export function inOrderOfAsking(apps: readonly App[]): readonly App[] {
  return [...apps].sort((left, right) => Number(isAsked(right)) - Number(isAsked(left)));
}

function isAsked({ webhookPaths }: App): boolean {
  return webhookPaths.includes('/authenticate') || webhookPaths.includes('/authorize');
}
