import { type ApiObject, type ObjectMeta, withMeta } from '../api/index.ts';
import type { StatusMetadata } from './kind.ts';

/** Restores the metadata that a write to a status subresource may not change. */
export function keepMetadata(object: ApiObject, old: ApiObject, kept: StatusMetadata | undefined): void {
  if (kept === undefined) return;
  const { metadata } = object;
  const was = old.metadata;
  object.metadata = withMeta(metadata, keptMembers(kept, metadata, was));
}

function keptMembers(kept: StatusMetadata, metadata: ObjectMeta, was: ObjectMeta): Partial<ObjectMeta> {
  const { labels, annotations, finalizers, ownerReferences } = was;
  switch (kept) {
    case 'labels':
      return { labels };
    case 'owners':
      return { labels, annotations, finalizers, ownerReferences };
    case 'owned':
      return {
        labels,
        annotations,
        finalizers,
        ownerReferences,
        generation: was.generation,
        deletionTimestamp: was.deletionTimestamp,
        selfLink: was.selfLink,
      };
    case 'all': {
      const cleared = Object.fromEntries(Object.keys(metadata).map((name) => [name, undefined]));
      return { ...cleared, ...was, managedFields: metadata.managedFields };
    }
  }
}
