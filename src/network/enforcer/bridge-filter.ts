import { readFile } from 'node:fs/promises';

const SETTINGS = ['bridge-nf-call-iptables', 'bridge-nf-call-ip6tables'];

/**
 * What keeps policies from pods that are on one bridge, with what to do; undefined where nothing does. Packets between two ports of a bridge
 * pass the filter only when these settings are on. Pods that are not on a bridge do not need it.
 */
export async function bridgeProblem(folder = '/proc/sys/net/bridge'): Promise<string | undefined> {
  const off: string[] = [];
  for (const setting of SETTINGS) {
    const value = await readFile(`${folder}/${setting}`, 'utf8').catch(() => undefined); // no such module
    if (value === undefined)
      return 'the kernel module br_netfilter is not loaded, so policies do not hold between pods on one bridge: modprobe br_netfilter';
    if (value.trim() !== '1') off.push(setting);
  }
  if (off.length === 0) return undefined;
  const commands = off.map((setting) => `sysctl -w net.bridge.${setting}=1`).join(' && ');
  return `packets between pods on one bridge do not pass the filter, so policies do not hold there: ${commands}`;
}
