import { formatCidr, isIpv4, maskIp, parseCidr, type IpPrefix } from '../../api/values/index.ts';

/** Ranges of one IP family, none of which contains another, in canonical form. */
export interface FamilyBlocks {
  readonly cidrs: readonly string[];
  readonly except: readonly string[];
}

/** Ranges by IP family. A family without ranges matches no address. */
export interface BlocksByFamily {
  readonly ipv4: FamilyBlocks;
  readonly ipv6: FamilyBlocks;
}

/** Sorts ranges by family, and leaves out those that another one contains and those that cannot be read. */
export function blocksByFamily(cidrs: readonly string[], except: readonly string[] = []): BlocksByFamily {
  const of = (wantsIpv4: boolean): FamilyBlocks => ({
    cidrs: outermost(cidrs, wantsIpv4),
    except: outermost(except, wantsIpv4),
  });
  return { ipv4: of(true), ipv6: of(false) };
}

function outermost(cidrs: readonly string[], wantsIpv4: boolean): readonly string[] {
  const prefixes = cidrs
    .flatMap((cidr) => parseCidr(cidr) ?? [])
    .filter(({ address }) => isIpv4(address) === wantsIpv4);
  const kept: BlockTree = { isWhole: false };
  for (const prefix of prefixes.toSorted((left, right) => left.length - right.length)) insert(kept, prefix);
  return [...new Set(prefixes.filter((prefix) => isKept(kept, prefix)).map(formatCidr))].toSorted();
}

/** Ranges as a binary tree of their bits: thousands of ranges are compared in linear time. */
interface BlockTree {
  isWhole: boolean;
  zero?: BlockTree;
  one?: BlockTree;
}

function insert(tree: BlockTree, prefix: IpPrefix): void {
  let at = tree;
  for (const bit of bitsOf(prefix)) {
    if (at.isWhole) return;
    const next: BlockTree = (bit ? at.one : at.zero) ?? { isWhole: false };
    if (bit) at.one = next;
    else at.zero = next;
    at = next;
  }
  at.isWhole = true;
}

/** True when no shorter range of the tree contains it. */
function isKept(tree: BlockTree, prefix: IpPrefix): boolean {
  let at: BlockTree | undefined = tree;
  for (const bit of bitsOf(prefix)) {
    if (at === undefined || at.isWhole) return false;
    at = bit ? at.one : at.zero;
  }
  return true;
}

function* bitsOf(prefix: IpPrefix): Generator<boolean> {
  const { bytes } = maskIp(prefix);
  for (let at = 0; at < prefix.length; at++) yield (((bytes[at >> 3] ?? 0) >> (7 - (at & 7))) & 1) === 1;
}

/** Whether a range of the list contains the address; both in canonical form. */
export function isInBlocks(address: string, cidrs: readonly string[]): boolean {
  return cidrs.some((cidr) => {
    const prefix = parseCidr(cidr);
    const host = parseCidr(`${address}/${prefix?.length ?? 0}`);
    return prefix !== undefined && host !== undefined && formatCidr(host) === formatCidr(prefix);
  });
}
