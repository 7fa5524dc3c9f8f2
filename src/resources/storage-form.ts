import { canonicalObject, holdsIn, keepAllSentEmpty, parseRanged } from '../api/index.ts';
import type { ApiObject, GroupVersionKind, ResourceInfo, Struct, TypeTable } from '../api/index.ts';
import { DEFAULT_KUBERNETES_VERSION, minorOf } from '../base/index.ts';
import type { StorageForm } from '../apiserver/index.ts';
import type { Conversion, Kind } from './kind.ts';

const ROOT = '/registry/';

/** The storage key and version of a kind's objects. */
export function storageForm(kind: Kind, info: ResourceInfo, types: TypeTable): StorageForm {
  const version = heldIn(types, kind.earlierStoredVersions) ?? kind.storedVersion ?? 'v1';
  const stored = { group: kind.storedGroup ?? info.group, version, kind: info.kind };
  const type = typeOf(stored, types);
  const announced = heldIn(types, kind.announcedVersions);
  const storage = {
    prefix: `${ROOT}${kind.folder ?? info.plural}/`,
    apiVersion: apiVersionOf(stored),
    kind: info.kind,
    type,
    encoding: 'protobuf' as const,
    ...(types.version === DEFAULT_KUBERNETES_VERSION ? undefined : { hasForeignFields: true }),
    ...(announced === undefined ? undefined : { announcedApiVersion: `${stored.group}/${announced}` }),
  };
  if (kind.conversions === undefined) return storage;
  const convert = throughStored(kind, stored, types);
  const normalize = (object: ApiObject): ApiObject => {
    const [back = object] = convert(convert([object], storage.apiVersion), apiVersionOf(info));
    return back;
  };
  const isConverted = conversionFor(kind, info) !== undefined;
  const typeIn = (apiVersion: string): Struct | undefined =>
    types.storedKind({ ...parsed(apiVersion), kind: stored.kind });
  return { ...storage, typeOf: typeIn, convert, ...(isConverted ? { normalize } : {}) };
}

/** The first of the versions that holds in the table's version of Kubernetes. */
function heldIn({ version }: TypeTable, versions: readonly string[] | undefined): string | undefined {
  return versions?.map(parseRanged).find(({ range }) => holdsIn(range, minorOf(version)))?.word;
}

/** The conversion to the stored version; undefined if only the name of the version differs. */
export function conversionFor(
  kind: Kind,
  { group, version }: { readonly group: string; readonly version: string },
): Conversion | undefined {
  return kind.conversions?.[group === kind.group ? version : `${group}/${version}`];
}

/**
 * Converts between any two versions of a kind, by way of the stored one. The result is canonical, with kind and apiVersion
 * set.
 */
function throughStored(
  kind: Kind,
  stored: GroupVersionKind,
  types: TypeTable,
): (objects: readonly ApiObject[], apiVersion: string) => readonly ApiObject[] {
  const toStored = (object: ApiObject): ApiObject => {
    const conversion = conversionFor(kind, parsed(object.apiVersion ?? ''));
    return conversion === undefined ? object : canonical(conversion.toStored(object), typeOf(stored, types));
  };
  return (objects, apiVersion) => {
    const target = { ...parsed(apiVersion), kind: stored.kind };
    const conversion = conversionFor(kind, target);
    return objects.map((object) => {
      const kept = toStored(object);
      const converted = conversion === undefined ? kept : canonical(conversion.fromStored(kept), typeOf(target, types));
      return { ...converted, kind: stored.kind, apiVersion };
    });
  };
}

function typeOf(kind: GroupVersionKind, types: TypeTable): Struct {
  const type = types.storedKind(kind);
  if (type === undefined) throw new Error(`No type for "${kind.kind}" in ${apiVersionOf(kind)}`);
  return type;
}

function canonical(object: ApiObject, type: Struct): ApiObject {
  return keepAllSentEmpty(canonicalObject(object, type), object);
}

function parsed(apiVersion: string): { readonly group: string; readonly version: string } {
  const slash = apiVersion.indexOf('/');
  return { group: slash < 0 ? '' : apiVersion.slice(0, slash), version: apiVersion.slice(slash + 1) };
}

function apiVersionOf({ group, version }: { readonly group: string; readonly version: string }): string {
  return group === '' ? version : `${group}/${version}`;
}
