import type { KubernetesObject, Observed } from '../../client/index.ts';

/** The part of `fieldsV1` that covers owner references. */
interface OwnerFields {
  readonly 'f:metadata'?: { readonly 'f:ownerReferences'?: Readonly<Record<string, unknown>> };
}

/** Whether this manager, and no other, owns the owner reference to the given owner. */
export function isStatedBy(manager: string, { metadata }: Observed<KubernetesObject>, ownerUid: string): boolean {
  const reference = `k:${JSON.stringify({ uid: ownerUid })}`;
  const stating = (metadata.managedFields ?? []).filter(({ fieldsV1 }) => {
    const fields = fieldsV1 as OwnerFields | undefined;
    return fields?.['f:metadata']?.['f:ownerReferences']?.[reference] !== undefined;
  });
  return stating.length > 0 && stating.every((entry) => entry.manager === manager);
}
