import type { KubernetesObject } from '../../client/index.ts';
import type { Api, ApiResource } from './api-resource.ts';
import { apiServer } from './api-server.ts';

/**
 * Describes an API to be served behind the cluster's API server, by the plurals of its resources:
 * `api('wardle.example.dev/v1alpha1', { flunders: memoryStorage(Flunder) })`. See `apiServer`.
 */
export function api<const T extends Readonly<Record<string, KubernetesObject>>>(
  apiVersion: string,
  resources: { readonly [Plural in keyof T]: ApiResource<T[Plural]> },
): Api {
  const [group = '', version = '', ...more] = apiVersion.split('/');
  if (version === '' || more.length > 0 || !group.includes('.'))
    throw new Error(`Cannot serve "${apiVersion}": an API is called like "wardle.example.dev/v1alpha1"`);
  const served = Object.entries<ApiResource>(resources);
  for (const [plural, { schema, list, update, delete: remove }] of served) {
    const problem =
      schema.plural !== plural || schema.apiVersion !== apiVersion
        ? `its schema is that of "${schema.plural}" in "${schema.apiVersion}"`
        : list === undefined && update !== undefined
          ? 'what is written has to be listed, too'
          : remove !== undefined && list === undefined
            ? 'what is deleted has to be listed, too'
            : undefined;
    if (problem !== undefined) throw new Error(`Cannot serve "${plural}" in "${apiVersion}": ${problem}`);
  }
  return { apiVersion, group, version, resources: served.map(([, resource]) => resource), serverOf: apiServer };
}
