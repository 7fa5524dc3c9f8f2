import type { App } from '../../kit/index.ts';

/** What an API server asks of an app. */
export interface AppServing {
  readonly hasWebhooks: boolean;
  readonly hasApis: boolean;
  /** Versions of its kinds are converted by it, which definitions have to say. */
  readonly isConverting: boolean;
  /** Its replicas share the authority of their certificates; else there may be one of them only. */
  readonly hasSharedAuthority: boolean;
}

/** What the app's declarations say about it. */
export function servingOf({ needs, resources, webhookPaths }: App): AppServing {
  const writesTo = (name: string): boolean =>
    needs.some(({ group, verbs }) => group === name && (verbs.includes('create') || verbs.includes('patch')));
  const isConverting = resources.some(({ isConverted }) => isConverted);
  return {
    hasWebhooks: isConverting || writesTo('admissionregistration.k8s.io'),
    hasApis: writesTo('apiregistration.k8s.io'),
    isConverting,
    hasSharedAuthority: webhookPaths.length > 0 || writesTo('apiregistration.k8s.io'),
  };
}

/** Whether a Service has to lead to the app. */
export function isServing({ hasWebhooks, hasApis }: AppServing): boolean {
  return hasWebhooks || hasApis;
}
