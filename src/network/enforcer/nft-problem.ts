import { messageOf } from '../../base/index.ts';
import { Nft } from '../nftables/index.ts';

/** What keeps this process from changing the packet filter of the machine; undefined where nothing does. */
export async function nftProblem(): Promise<string | undefined> {
  if (process.platform !== 'linux') return 'nftables needs Linux';
  if (process.getuid?.() !== 0) return 'changing the packet filter needs root';
  try {
    await new Nft().list('tables');
    return undefined;
  } catch (error) {
    return messageOf(error);
  }
}
