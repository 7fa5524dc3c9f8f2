import { createHash } from 'node:crypto';
import type { GroupVersionKind, ResourceInfo } from '../schema/schema.ts';

/** A resource as discovery describes it. */
export interface DiscoveredResource extends Omit<ResourceInfo, 'subresources' | 'type'> {
  readonly subresources: readonly DiscoveredSubresource[];
  /** From `storageVersionHash`; undefined if nothing is stored. */
  readonly storageVersionHash?: string;
  /** Served from a CustomResourceDefinition. */
  readonly isCustom: boolean;
}

export interface DiscoveredSubresource {
  readonly name: string;
  readonly kind: GroupVersionKind;
  readonly verbs: readonly string[];
}

/** The hash by which clients notice that a resource is stored in another version than before. */
export function storageVersionHash(apiVersion: string, kind: string): string {
  const groupVersion = apiVersion.includes('/') ? apiVersion : `/${apiVersion}`;
  return createHash('sha256').update(`${groupVersion}/${kind}`).digest().subarray(0, 8).toString('base64');
}
