import { chmod, readFile, rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { isIpv4, parseCidr } from '../../../../api/values/index.ts';
import type { Random } from '../../../../base/index.ts';
import { CniError, networkFiles, parseNetworkConfiguration } from '../../../../cni/index.ts';
import { replaceWhole } from '../../../whole-file.ts';

/** Sorts after the names that network plugins usually take: a runtime uses the first file of the folder. */
const FILE = '99-keelson.conflist';
/** The network's name in our file, by which it is recognised later. */
const NETWORK = 'keelson-pods';
const BRIDGE = 'keelson0';

/** The outcome of writing the file. */
export type FileOutcome =
  | { readonly type: 'written' }
  | { readonly type: 'unchanged' }
  /** The administrator has configured a network. The runtime uses that one, and our file does not exist. */
  | { readonly type: 'foreign'; readonly file: string };

/** The network of a node's pods as a file for its container runtime. Files that are not ours take precedence and are never changed. */
export class NetworkFile {
  readonly #folder: string;
  readonly #random: Random;

  constructor(folder: string, random: Random) {
    this.#folder = folder;
    this.#random = random;
  }

  get path(): string {
    return join(this.#folder, FILE);
  }

  /** Writes that pods get addresses from these ranges. The file is replaced atomically, so that a runtime never reads half of it. */
  async write(podCidrs: readonly string[]): Promise<FileOutcome> {
    const present = await readFile(this.path, 'utf8').catch(() => undefined); // there is none yet
    const isOurs = present !== undefined && nameIn(present) === NETWORK;
    const foreign = (await networkFiles(this.#folder)).find((path) => path !== this.path || !isOurs);
    if (foreign !== undefined) {
      if (isOurs) await rm(this.path, { force: true });
      return { type: 'foreign', file: basename(foreign) };
    }
    const text = networkText(podCidrs);
    if (present === text) return { type: 'unchanged' };
    await replaceWhole(this.path, text, { random: this.#random });
    await chmod(this.path, 0o644);
    return { type: 'written' };
  }
}

/** A bridge with addresses from the ranges, and plugins for the host ports and bandwidth limits of pods. */
export function networkText(podCidrs: readonly string[]): string {
  const routes = podCidrs.map((cidr) => ({ dst: isFamily4(cidr) ? '0.0.0.0/0' : '::/0' }));
  const network = {
    cniVersion: '1.0.0',
    name: NETWORK,
    plugins: [
      {
        type: 'bridge',
        bridge: BRIDGE,
        isGateway: true,
        forceAddress: true, // a new range replaces the old one
        ipMasq: true,
        hairpinMode: true,
        ipam: { type: 'host-local', ranges: podCidrs.map((subnet) => [{ subnet }]), routes },
      },
      { type: 'portmap', capabilities: { portMappings: true } },
      { type: 'firewall' },
      { type: 'bandwidth', capabilities: { bandwidth: true } },
    ],
  };
  return `${JSON.stringify(network, undefined, 2)}\n`;
}

function nameIn(text: string): string | undefined {
  try {
    return parseNetworkConfiguration(text).name;
  } catch (error) {
    if (error instanceof CniError) return undefined; // an administrator has edited it, so it is no longer ours to change
    throw error;
  }
}

function isFamily4(cidr: string): boolean {
  const prefix = parseCidr(cidr);
  return prefix !== undefined && isIpv4(prefix.address);
}
