import { Buffer } from 'node:buffer';
import { goChecksum } from '../checkpoint-checksum.ts';

/** The annotation of a container in the runtime that says from which definition it was made. */
export const CONTAINER_HASH = 'io.kubernetes.container.hash';

/** As a kubelet computes it, so that either can go on with the other's containers. */
export function containerHash({ name, image = '' }: { readonly name: string; readonly image?: string }): string {
  const bytes = Buffer.from(JSON.stringify({ image, name }));
  return goChecksum(`([]uint8)[${bytes.join(' ')}]`).toString(16);
}
