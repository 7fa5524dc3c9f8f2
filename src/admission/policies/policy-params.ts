import {
  type ApiObject,
  formatGroupVersionKind,
  type LabelMatcher,
  matchLabelSelector,
  parseGroupVersion,
  ValueError,
} from '../../api/index.ts';
import type { ParamKind, ParamRef } from '../../api/types/admissionregistration/v1.d.ts';
import type { Resource } from '../../apiserver/index.ts';
import type { Policy, PolicySources } from './policy-sources.ts';

/** Why a policy or a binding cannot be evaluated, in Kubernetes' words. */
export class PolicyProblem extends Error {
  override readonly name = 'PolicyProblem';
}

/** The kind of a policy's parameters; undefined when it has none. */
export function paramResource({ spec }: Policy, { registry }: Pick<PolicySources, 'registry'>): Resource | undefined {
  if (spec.paramKind === undefined) return undefined;
  const { apiVersion = '', kind = '' } = spec.paramKind;
  const parsed = parseGroupVersion(apiVersion);
  const { group, version } = parsed instanceof ValueError ? { group: '', version: apiVersion } : parsed;
  const found = registry.resourcesOf(group).find((resource) => resource.version === version && resource.kind === kind);
  if (found !== undefined) return found;
  const name = formatGroupVersionKind({ group, version, kind });
  throw new PolicyProblem(`failed to find resource referenced by paramKind: '${name}'`);
}

/** Where the parameters of one binding are looked for. */
export interface ParamSearch {
  /** Undefined: the policy takes none. */
  readonly resource: Resource | undefined;
  readonly paramKind: ParamKind | undefined;
  readonly paramRef: ParamRef | undefined;
  /** The request's namespace. */
  readonly namespace: string;
  readonly signal: AbortSignal;
}

/**
 * The parameters with which to evaluate a policy: a single null where it takes none; empty where parameters are missing
 * and that is allowed.
 *
 * Ends: with a `PolicyProblem`.
 */
export async function findParams(
  search: ParamSearch,
  { objects }: Pick<PolicySources, 'objects'>,
): Promise<readonly (ApiObject | null)[]> {
  const { resource, paramRef } = search;
  if (resource === undefined || paramRef === undefined) return [null];
  const namespace = namespaceOf(search, resource, paramRef);
  if (resource.computed !== undefined) {
    const { apiVersion = '', kind = '' } = search.paramKind ?? {};
    const name = `&ParamKind{APIVersion:${apiVersion},Kind:${kind},}`;
    throw new PolicyProblem(`paramKind kind \`${name}\` not yet synced to use for admission`);
  }
  const stored = objects.of(resource.group, resource.plural);
  const { name = '', selector, parameterNotFoundAction } = paramRef;
  const found =
    name === ''
      ? selected(await stored.list(namespace), matchLabelSelector(selector))
      : [await stored.get(namespace, name)].filter((object) => object !== undefined);
  if (found.length === 0 && parameterNotFoundAction === 'Deny') {
    throw new PolicyProblem('no params found for policy binding with `Deny` parameterNotFoundAction');
  }
  return inVersion(found, resource, search.signal);
}

function namespaceOf({ namespace }: ParamSearch, { namespaced }: Resource, { namespace: own = '' }: ParamRef): string {
  if (!namespaced) {
    if (own === '') return '';
    throw new PolicyProblem('paramRef.namespace must not be provided for a cluster-scoped `paramKind`');
  }
  const found = own === '' ? namespace : own;
  if (found !== '') return found;
  throw new PolicyProblem('cannot use namespaced paramRef in policy binding that matches cluster-scoped resources');
}

function selected(objects: readonly ApiObject[], matcher: LabelMatcher | ValueError): readonly ApiObject[] {
  if (matcher instanceof ValueError) throw new PolicyProblem(matcher.message);
  return objects.filter(({ metadata }) => matcher.matches(metadata.labels));
}

/** Objects as they are stored, in the version of their resource. */
async function inVersion(
  objects: readonly ApiObject[],
  { group, version, kind, storage }: Resource,
  signal: AbortSignal,
): Promise<readonly ApiObject[]> {
  const apiVersion = group === '' ? version : `${group}/${version}`;
  if (objects.every((object) => object.apiVersion === apiVersion)) return objects;
  const converted = (await storage.convert?.(objects, apiVersion, signal)) ?? objects;
  return converted.map((object) => ({ ...object, kind, apiVersion }));
}
