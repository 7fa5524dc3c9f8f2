import { createHash } from 'node:crypto';
import { PENDING_SHARE_ID } from './allocation-result.ts';
import type { Allocation, Claim } from './claim.ts';

/** Assigns unique share identifiers, derived from the claim, its resourceVersion and the position. */
export function withShareIds(allocation: Allocation, { metadata }: Claim): Allocation {
  const results = allocation.devices?.results ?? [];
  if (results.every(({ shareID }) => shareID !== PENDING_SHARE_ID)) return allocation;
  const of = `${metadata.uid}/${metadata.resourceVersion ?? ''}`;
  const named = results.map((result, at) =>
    result.shareID === PENDING_SHARE_ID ? { ...result, shareID: uuidOf(`${of}/${at}`) } : result,
  );
  return { ...allocation, devices: { ...allocation.devices, results: named } };
}

/** A version 5 (name-based) UUID. */
function uuidOf(name: string): string {
  const bytes = createHash('sha1').update(name).digest().subarray(0, 16);
  bytes[6] = (bytes[6]! & 0x0f) | 0x50;
  bytes[8] = (bytes[8]! & 0x3f) | 0x80;
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}
