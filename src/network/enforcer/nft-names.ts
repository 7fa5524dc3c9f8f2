import { createHash } from 'node:crypto';
import type { PolicyTier, SetId } from '../policies/index.ts';

export type Family = 'ipv4' | 'ipv6';

export const FAMILIES: readonly Family[] = ['ipv4', 'ipv6'];
/** The types of addresses in sets. */
export const TYPES: Readonly<Record<Family, string>> = { ipv4: 'ipv4_addr', ipv6: 'ipv6_addr' };

/** The name of a set of addresses. Ids have labels in them; names of nftables have letters, digits and dashes. */
export function setName(id: SetId, family: Family): string {
  return `addresses-${digest(id)}-${family}`;
}

/** The chain with the rules of a policy. */
export function policyChain(key: string, direction: string): string {
  return `${direction}-policy-${digest(key)}`;
}

/** The chain of a tier for all pods that the same policies decide about. */
export function tierChain(tiers: readonly PolicyTier[], direction: string, at: number): string {
  return `${direction}-pods-${digest(JSON.stringify(tiers))}-${at}`;
}

const MAX_COMMENT = 100;

/** A comment that says what a name stands for: `nft list` shows it. */
export function comment(text: string): string {
  const plain = text.replaceAll(/[^ -~]|["\\]/g, '?');
  return `comment "${plain.length > MAX_COMMENT ? `${plain.slice(0, MAX_COMMENT - 3)}...` : plain}"`;
}

/** 64 bits: the chance that two of a million names are the same is one in 37 million. */
function digest(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 16);
}
