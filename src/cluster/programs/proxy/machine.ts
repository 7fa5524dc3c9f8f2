// What the proxy has to know of the machine before it runs.
import { existsSync, readFileSync } from 'node:fs';
import { release } from 'node:os';
import { messageOf } from '../../../base/index.ts';
import type { IpFamily, Nft } from '../../../network/index.ts';

const MIN_KERNEL = [5, 13] as const;

/** Why Services cannot be forwarded on this machine; undefined when they can. */
export async function machineProblem(nft: Nft): Promise<string | undefined> {
  if (process.platform !== 'linux') return 'the proxy needs Linux';
  if (!isKernelNewEnough(release())) return `the proxy needs kernel ${MIN_KERNEL.join('.')} or later, not ${release()}`;
  try {
    await nft.list('tables');
    return undefined;
  } catch (error) {
    const hint = process.getuid?.() === 0 ? '' : '; the proxy needs root, or CAP_NET_ADMIN';
    return `${messageOf(error)}${hint}`;
  }
}

export function isKernelNewEnough(version: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map((part) => Number.parseInt(part, 10));
  return major > MIN_KERNEL[0] || (major === MIN_KERNEL[0] && minor >= MIN_KERNEL[1]);
}

/** The IP families that the kernel has. */
export function machineFamilies(): readonly IpFamily[] {
  const disabled = '/proc/sys/net/ipv6/conf/all/disable_ipv6';
  const hasIpv6 =
    existsSync('/proc/net/if_inet6') && !(existsSync(disabled) && readFileSync(disabled, 'utf8').trim() === '1');
  return hasIpv6 ? ['IPv4', 'IPv6'] : ['IPv4'];
}
