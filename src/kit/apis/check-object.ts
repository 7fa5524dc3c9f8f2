import {
  type ApiObject,
  checkObjectMeta,
  checkObjectMetaUpdate,
  collectErrors,
  dns1123SubdomainProblems,
  invalid,
  maskTrailingDash,
  type ObjectMetaCheck,
} from '../../api/index.ts';
import { checkCustomObject } from '../../crd/index.ts';
import type { ServedKind } from './served-kind.ts';

/** Refuses an object that its schema, or the rules for all metadata, do not allow. */
export function checkObject(
  object: ApiObject,
  served: ServedKind,
  { old, isStatus = false }: { readonly old?: ApiObject | undefined; readonly isStatus?: boolean } = {},
): void {
  const errors = collectErrors(() => {
    const found = [
      ...checkObjectMeta(object.metadata, { namespaced: served.isNamespaced, checkName }),
      ...(old === undefined ? [] : checkObjectMetaUpdate(object.metadata, old.metadata)),
    ];
    return [...found, ...checkCustomObject(object, served.type, { old, isStatus, found })];
  });
  if (errors.length === 0) return;
  throw invalid({ group: served.group, resource: served.kind }, object.metadata.name ?? '', errors);
}

const checkName: ObjectMetaCheck['checkName'] = (name, { prefix }) =>
  dns1123SubdomainProblems(prefix ? maskTrailingDash(name) : name);
