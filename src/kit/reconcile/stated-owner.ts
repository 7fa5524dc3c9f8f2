import type { KubernetesObject, Observed } from '../../client/index.ts';

/** The part of `fieldsV1` that is about owners. */
interface OwnerFields {
  readonly 'f:metadata'?: { readonly 'f:ownerReferences'?: Readonly<Record<string, unknown>> };
}

/** Whether the manager, and nobody else, has stated that the object is the owner's. */
export function isStatedBy(manager: string, { metadata }: Observed<KubernetesObject>, ownerUid: string): boolean {
  const reference = `k:${JSON.stringify({ uid: ownerUid })}`;
  const stating = (metadata.managedFields ?? []).filter(({ fieldsV1 }) => {
    const fields = fieldsV1 as OwnerFields | undefined;
    return fields?.['f:metadata']?.['f:ownerReferences']?.[reference] !== undefined;
  });
  return stating.length > 0 && stating.every((entry) => entry.manager === manager);
}
