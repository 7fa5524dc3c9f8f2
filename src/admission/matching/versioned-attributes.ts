import type { ApiObject } from '../../api/index.ts';
import type { AdmissionAttributes, Resource } from '../../apiserver/index.ts';

/** The request as one for another version of the resource, with its objects converted; itself for its own version. */
export async function versionedAttributes(
  attributes: AdmissionAttributes,
  resource: Resource,
): Promise<AdmissionAttributes> {
  if (resource === attributes.resource) return attributes;
  const { object, old } = attributes;
  const [shown, shownOld] = await Promise.all([object, old].map((each) => inVersionOf(each, resource, attributes)));
  return attributes.as(resource, { object: shown, old: shownOld });
}

/**
 * An object of the request in the version of `resource`. Objects of another kind, such as a Scale, are not converted.
 */
export async function inVersionOf<T extends ApiObject | undefined>(
  object: T,
  resource: Resource,
  { resource: { kind }, signal }: AdmissionAttributes,
): Promise<T> {
  const { group, version, storage } = resource;
  const apiVersion = group === '' ? version : `${group}/${version}`;
  if (object === undefined || object.kind !== kind || object.apiVersion === apiVersion) return object;
  const converted = await storage.convert?.([object], apiVersion, signal);
  return { ...(converted?.[0] ?? object), kind: resource.kind, apiVersion } as T;
}
