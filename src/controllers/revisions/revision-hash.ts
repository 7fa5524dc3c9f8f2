import { encodeSortedJson } from '../../api/client.ts';
import { safeDigits } from '../pod-template-hash/index.ts';
import type { RevisionData } from './revision-data.ts';

const FNV_OFFSET = 0x811c9dc5;
const FNV_PRIME = 0x01000193;

/**
 * The hash in the name of a StatefulSet's revision, as Kubernetes 1.36 computes it: FNV-1 (32 bits) over the data as
 * JSON, followed by the collision count.
 */
export function revisionHash(data: RevisionData, collisionCount: number): string {
  let hash = FNV_OFFSET;
  for (const byte of new TextEncoder().encode(`${encodeSortedJson(data)}${collisionCount}`)) {
    hash = Math.imul(hash, FNV_PRIME) ^ byte;
  }
  return safeDigits(hash >>> 0);
}
