import type { KubernetesObject } from '../../client/index.ts';
import type { DefinedKind } from '../resource/defined-kind.ts';
import type { ApiStorage } from './api-storage.ts';

/** One column of `kubectl get`, computed. */
export interface ApiColumn<T> {
  readonly type?: 'string' | 'integer' | 'number' | 'boolean';
  readonly format?: string;
  readonly description?: string;
  /** Greater than 0: shown by `kubectl get -o wide` alone. */
  readonly priority?: number;
  value(object: T, context: { readonly now: number }): string | number | boolean | undefined;
}

/** A resource of an API: its kind, and where its objects are. */
export interface ApiResource<T extends KubernetesObject = KubernetesObject> extends ApiStorage<T> {
  /** Made with `resource`: names, scope, schema, columns and selectable fields are taken from it. */
  readonly schema: DefinedKind<T>;
  /** Columns besides the name, by their titles, where those of the schema are not enough. */
  readonly table?: Readonly<Record<string, ApiColumn<T>>>;
}

/** A group and version that a server of one's own answers for. */
export interface Api {
  readonly apiVersion: string;
  readonly group: string;
  readonly version: string;
  readonly resources: readonly ApiResource[];
}

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
  return { apiVersion, group, version, resources: served.map(([, resource]) => resource) };
}
