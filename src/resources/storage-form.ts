import { canonicalize } from '../api/index.ts';
import type { ApiObject, ResourceInfo, Struct, TypeTable } from '../api/index.ts';
import type { StorageForm } from '../apiserver/index.ts';
import type { Conversion, Kind } from './kind.ts';

const ROOT = '/registry/';

/** Where and in which version the objects of a kind are kept. */
export function storageForm(kind: Kind, info: ResourceInfo, types: TypeTable): StorageForm {
  const group = kind.storedGroup ?? info.group;
  const version = kind.storedVersion ?? 'v1';
  const type = types.kind({ group, version, kind: info.kind });
  if (type === undefined) throw new Error(`No type for "${info.plural}" in its stored version ${group}/${version}`);
  const conversion = conversionFor(kind, info);
  return {
    prefix: `${ROOT}${kind.folder ?? info.plural}/`,
    apiVersion: group === '' ? version : `${group}/${version}`,
    kind: info.kind,
    type,
    encoding: 'protobuf',
    ...(kind.announcedVersion === undefined ? {} : { announcedApiVersion: `${group}/${kind.announcedVersion}` }),
    ...(conversion === undefined ? {} : canonicalConversion(conversion, { stored: type, served: info.type })),
  };
}

/** How a version differs from the stored one; undefined when only its name does. */
export function conversionFor(kind: Kind, info: ResourceInfo): Conversion | undefined {
  return kind.conversions?.[info.group === kind.group ? info.version : `${info.group}/${info.version}`];
}

function canonicalConversion(
  conversion: Conversion,
  types: { readonly stored: Struct; readonly served: Struct },
): Conversion {
  return {
    toStored: (object) => canonicalize(conversion.toStored(object), types.stored) as unknown as ApiObject,
    fromStored: (object) => canonicalize(conversion.fromStored(object), types.served) as unknown as ApiObject,
  };
}
