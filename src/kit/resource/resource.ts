import { dns1123SubdomainProblems, pluralOf } from '../../api/client.ts';
import type { Scope } from '../../client/index.ts';
import type { CustomResource } from './custom-resource.ts';
import { DefinedResource } from './defined-resource.ts';
import type { CustomObject, ResourceOptions, StatusSource } from './resource-options.ts';
import { ResourceVersion } from './resource-version.ts';
import type { SchemaSource } from './schema-source.ts';

/**
 * Defines a kind: the value is used wherever `Pod` is, and its `manifest()` is the CustomResourceDefinition.
 *
 * Throws a SchemaError that lists the path of every field that a definition cannot express.
 *
 * Example: `const Cache = resource('cache.example.dev/v1', 'Cache', { spec: z.object({ size: z.int().min(1) }) });`
 */
export function resource<
  const Spec extends SchemaSource,
  const Status extends StatusSource = undefined,
  S extends Scope = 'Namespaced',
>(
  apiVersion: `${string}/${string}`,
  kind: string,
  options: ResourceOptions<Spec, Status, S>,
): CustomResource<CustomObject<Spec, Status>, S, {}, Spec, Status> {
  const { group, version } = groupVersionOf(apiVersion);
  const { plural = pluralOf(kind) } = options;
  const scope: Scope = options.scope ?? 'Namespaced';
  const identity = { group, kind, plural, scope, options };
  return new DefinedResource(identity, new ResourceVersion(version, kind, options)) as never;
}

/** Splits `cache.example.dev/v1`. */
function groupVersionOf(apiVersion: string): { readonly group: string; readonly version: string } {
  const [group = '', version = '', ...rest] = apiVersion.split('/');
  if (version === '' || rest.length > 0 || dns1123SubdomainProblems(group).length > 0)
    throw new Error(`Cannot define a kind of "${apiVersion}": it must be GROUP/VERSION, such as cache.example.dev/v1`);
  return { group, version };
}
