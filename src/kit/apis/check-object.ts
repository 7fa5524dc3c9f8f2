import {
  type ApiObject,
  badRequest,
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

/** Puts an object where the path says, unless it says otherwise itself. */
export function inNamespace({ metadata, ...rest }: ApiObject, namespace: string, served: ServedKind): ApiObject {
  const own = metadata.namespace ?? '';
  if (served.isNamespaced && own !== '' && own !== namespace)
    throw badRequest('the namespace of the provided object does not match the namespace sent on the request');
  if (!served.isNamespaced && own !== '') throw badRequest('namespace may not be set on a cluster-scoped object');
  return { ...rest, metadata: served.isNamespaced ? { ...metadata, namespace } : metadata };
}
