import type { IpFamily } from '../services/index.ts';

/** How a proxy recognizes traffic that comes from pods of its own node. */
export type LocalDetection =
  | { readonly type: 'none' }
  /** By its source. */
  | { readonly type: 'range'; readonly range: string }
  /** By the interface that it comes in by. */
  | { readonly type: 'interface'; readonly name: string }
  | { readonly type: 'interface prefix'; readonly prefix: string };

/** What all rules of one IP family depend on, besides Services. */
export interface RuleSettings {
  readonly family: IpFamily;
  /** The bit of a packet's mark that has its source translated. */
  readonly masqueradeMark: number;
  /** Translate the source of all traffic to cluster IPs. */
  readonly masqueradeAll: boolean;
  readonly localDetection: LocalDetection;
  /** The node's own address; undefined while it is not known. */
  readonly nodeAddress: string | undefined;
  /** Addresses that node ports are served on; `all` but loopback. */
  readonly nodePortAddresses: 'all' | readonly string[];
  /** Ranges of cluster IPs, of the family. */
  readonly serviceCidrs: readonly string[];
}

export const TABLE = 'keelson-services';

/** The words of nft for an IP family. */
export function wordsOf(family: IpFamily): { readonly ip: 'ip' | 'ip6'; readonly address: string } {
  return family === 'IPv4' ? { ip: 'ip', address: 'ipv4_addr' } : { ip: 'ip6', address: 'ipv6_addr' };
}

export function markText({ masqueradeMark }: Pick<RuleSettings, 'masqueradeMark'>): string {
  return `0x${masqueradeMark.toString(16).padStart(8, '0')}`;
}

/** The rule that has the source of a packet translated when it leaves. */
export function masqueradeRule(settings: Pick<RuleSettings, 'masqueradeMark'>): string {
  return `mark set mark or ${markText(settings)}`;
}

/** The match for traffic from pods of this node, or from anywhere else; undefined where that is not known. */
export function localMatch(
  { family, localDetection }: Pick<RuleSettings, 'family' | 'localDetection'>,
  isLocal: boolean,
): string | undefined {
  const not = isLocal ? '' : '!= ';
  switch (localDetection.type) {
    case 'none':
      return undefined;
    case 'range':
      return `${wordsOf(family).ip} saddr ${not}${localDetection.range}`;
    case 'interface':
      return `iifname ${not}"${localDetection.name}"`;
    case 'interface prefix':
      return `iifname ${not}"${localDetection.prefix}*"`;
  }
}
