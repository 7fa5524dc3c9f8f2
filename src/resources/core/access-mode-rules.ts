import { forbiddenField } from '../../api/index.ts';
import type { FieldError } from '../../api/index.ts';

/** A volume for a single pod is for nobody else. */
export function checkAccessModes(modes: readonly string[], field: string): FieldError[] {
  const isMixed = modes.includes('ReadWriteOncePod') && modes.some((mode) => mode !== 'ReadWriteOncePod');
  return isMixed ? [forbiddenField(field, 'may not use ReadWriteOncePod with other access modes')] : [];
}
