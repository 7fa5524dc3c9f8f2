import type { App } from '../../kit/index.ts';

/** What an app serves to API servers. */
export interface AppServing {
  readonly hasWebhooks: boolean;
  readonly hasApis: boolean;
  /** The app converts versions of its kinds, which the definitions must declare. */
  readonly isConverting: boolean;
  /** Its replicas share the authority of their certificates; otherwise it may have only one replica. */
  readonly hasSharedAuthority: boolean;
}

/** Reads it from the app's declarations. */
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

/** Whether the app needs a Service. */
export function isServing({ hasWebhooks, hasApis }: AppServing): boolean {
  return hasWebhooks || hasApis;
}
