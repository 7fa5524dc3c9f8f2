import type { Toleration } from '../../api/types/core/v1.d.ts';
import { deepEqual } from '../../base/index.ts';

/** Both lists in order, without those that another one covers; of two that are equal the first stays. */
export function mergeTolerations(first: readonly Toleration[], second: readonly Toleration[]): Toleration[] {
  const all = [...first, ...second];
  const merged: Toleration[] = [];
  for (const [index, toleration] of all.entries()) {
    const isCovered =
      merged.some((earlier) => covers(earlier, toleration)) ||
      all.slice(index + 1).some((later) => !deepEqual(later, toleration) && covers(later, toleration));
    if (!isCovered) merged.push(toleration);
  }
  return merged;
}

/** Whether `wide` tolerates everything that `narrow` does. */
function covers(wide: Toleration, narrow: Toleration): boolean {
  if (deepEqual(wide, narrow)) return true;
  const isForAllKeys = (wide.key ?? '') === '' && wide.operator === 'Exists';
  if (wide.key !== narrow.key && !isForAllKeys) return false;
  if (wide.effect !== narrow.effect && (wide.effect ?? '') !== '') return false;
  if (wide.effect === 'NoExecute' && !lastsAsLong(wide, narrow)) return false;
  if (wide.operator === 'Exists') return true;
  const isEqual = wide.operator === 'Equal' || (wide.operator ?? '') === '';
  return isEqual && narrow.operator === 'Equal' && (narrow.value ?? '') === (wide.value ?? '');
}

function lastsAsLong(wide: Toleration, narrow: Toleration): boolean {
  const limit = wide.tolerationSeconds;
  return limit === undefined || (narrow.tolerationSeconds !== undefined && narrow.tolerationSeconds <= limit);
}
