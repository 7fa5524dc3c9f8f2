import type { PersistentVolumeClaim } from '../../api/types/core/v1.d.ts';
import type { Whole } from '../kind.ts';
import { amount } from './resource-list.ts';

const CLASS_ANNOTATION = 'volume.beta.kubernetes.io/storage-class';

export function claimWarnings({ metadata, spec }: Whole<PersistentVolumeClaim>): string[] {
  const warnings: string[] = [];
  if (metadata.annotations?.[CLASS_ANNOTATION] !== undefined) {
    warnings.push(
      `metadata.annotations[${CLASS_ANNOTATION}]: deprecated since v1.8; use "storageClassName" attribute instead`,
    );
  }
  for (const list of ['requests', 'limits'] as const) {
    const text = spec.resources?.[list]?.['storage'];
    if (text === undefined || amount(text).scaledValue(-3) % 1000n === 0n) continue;
    const field = `spec.resources.${list}[storage]`;
    warnings.push(`${field}: fractional byte value ${JSON.stringify(text)} is invalid, must be an integer`);
  }
  return warnings;
}
