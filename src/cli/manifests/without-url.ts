import type { KubernetesObject } from '../../client/index.ts';

/**
 * The object with `url: null` beside each Service that a webhook's `clientConfig` names. The app writes a URL when it runs
 * outside the cluster, and a server takes only one of both: the null makes `kubectl apply` remove that URL.
 */
export function withoutUrl<T extends KubernetesObject>(object: T): T {
  return withNulls(object) as T;
}

function withNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withNulls);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(([name, field]: [string, unknown]) => {
    const isService = name === 'clientConfig' && typeof field === 'object' && field !== null && 'service' in field;
    return [name, isService ? { ...field, url: null } : withNulls(field)];
  });
  return Object.fromEntries(entries);
}
