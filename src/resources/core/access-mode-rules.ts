import { type FieldError, forbiddenField } from '../../api/index.ts';

const OTHERS = new Set(['ReadWriteOnce', 'ReadOnlyMany', 'ReadWriteMany']);

/** A volume for a single pod is for nobody else. */
export function checkAccessModes(modes: readonly string[], field: string): FieldError[] {
  const isMixed = modes.includes('ReadWriteOncePod') && modes.some((mode) => OTHERS.has(mode));
  return isMixed ? [forbiddenField(field, 'may not use ReadWriteOncePod with other access modes')] : [];
}
