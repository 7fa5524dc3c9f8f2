import type { PodTemplateSpec } from '../../api/types/core/v1.d.ts';
import type { DeepReadonly } from '../../base/index.ts';
import { GoPrinter } from './go-print.ts';
import { readPodTemplateStructs } from './go-type.ts';
import { safeDigits } from './safe-digits.ts';

const FNV_OFFSET = 0x811c9dc5;
const FNV_PRIME = 0x01000193;

/**
 * Hashes pod templates as Kubernetes 1.36 does, so that names and labels derived from them are the same.
 *
 * The hash is FNV-1a (32 bits) over a print of the Go struct, followed by the collision count, if any.
 */
export class TemplateHasher {
  /** Created on first use, because it parses the struct table. */
  #printer: GoPrinter | undefined;

  /** Such as `5d9c8fbd6b`: digits of the hash in letters that spell no words. */
  hash(template: DeepReadonly<PodTemplateSpec>, collisionCount?: number): string {
    const printed = this.print(template);
    let hash = FNV_OFFSET;
    for (const byte of new TextEncoder().encode(printed)) hash = Math.imul(hash ^ byte, FNV_PRIME);
    if (collisionCount !== undefined) {
      for (let index = 0; index < 8; index++) {
        const byte = index < 4 ? (collisionCount >>> (8 * index)) & 0xff : 0;
        hash = Math.imul(hash ^ byte, FNV_PRIME);
      }
    }
    return safeDigits(hash >>> 0);
  }

  /** The hashed text, for finding out why two hashes differ. */
  print(template: DeepReadonly<PodTemplateSpec>): string {
    this.#printer ??= new GoPrinter(readPodTemplateStructs());
    return this.#printer.printTyped(template, { form: 'struct', name: 'v1.PodTemplateSpec' });
  }
}
