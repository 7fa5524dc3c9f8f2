import {
  type ApiObject,
  managedFieldsFromScale,
  managedFieldsOfScale,
  type ScaledKind,
  withMeta,
} from '../../api/index.ts';
import type { Projection, Resource } from '../resource.ts';
import { apiVersionOf } from '../storage/stored-object.ts';

/** A picture with the field managers of what it shows; pictures of other kinds than Scale have none. */
export function pictureWithManagedFields(
  picture: ApiObject,
  object: ApiObject,
  scaled: ScaledKind | undefined,
): ApiObject {
  if (scaled === undefined) return picture;
  const managedFields = managedFieldsOfScale(object.metadata.managedFields, scaled);
  return { ...picture, metadata: withMeta(picture.metadata, { managedFields }) };
}

/** The object with the field managers that it has after its picture was written. */
export function objectWithManagedFields(
  object: ApiObject,
  picture: ApiObject,
  { scaled, before }: { readonly scaled: ScaledKind | undefined; readonly before: ApiObject },
): ApiObject {
  if (scaled === undefined) return object;
  const entries = managedFieldsFromScale(before.metadata.managedFields, picture.metadata.managedFields, scaled);
  return { ...object, metadata: withMeta(object.metadata, { managedFields: entries }) };
}

/** Where the replicas of a resource are. */
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
