import {
  type ApiObject,
  managedFieldsFromScale,
  managedFieldsOfScale,
  type ScaledKind,
  withMeta,
} from '../../api/index.ts';
import type { Projection, Resource } from '../resource.ts';
import { apiVersionOf } from '../storage/stored-object.ts';

/** A projected object with the managers of its fields; only a Scale has any. */
export function projectedWithManagers(
  projected: ApiObject,
  object: ApiObject,
  scaled: ScaledKind | undefined,
): ApiObject {
  if (scaled === undefined) return projected;
  const managedFields = managedFieldsOfScale(object.metadata.managedFields, scaled);
  return { ...projected, metadata: withMeta(projected.metadata, { managedFields }) };
}

/** The object with its field managers after a write to its projection. */
export function objectWithManagers(
  object: ApiObject,
  projected: ApiObject,
  { scaled, before }: { readonly scaled: ScaledKind | undefined; readonly before: ApiObject },
): ApiObject {
  if (scaled === undefined) return object;
  const entries = managedFieldsFromScale(before.metadata.managedFields, projected.metadata.managedFields, scaled);
  return { ...object, metadata: withMeta(object.metadata, { managedFields: entries }) };
}

/** The path of the replicas in a resource. */
export function scaledKind(resource: Resource, projection: Projection): ScaledKind | undefined {
  const { replicasPath, replicasPaths = {} } = projection;
  if (replicasPath === undefined) return undefined;
  const { group, version } = resource;
  const paths: Readonly<Record<string, readonly string[]>> = {
    ...replicasPaths,
    [apiVersionOf(resource)]: replicasPath,
  };
  return { group, version, replicasPath: (apiVersion) => paths[apiVersion] };
}
