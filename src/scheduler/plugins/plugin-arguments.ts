import { type FieldError, fieldErrorText } from '../../api/index.ts';

/** Fails with all that is wrong with the settings of a plugin, if anything is. */
export function refuseArguments(plugin: string, errors: readonly FieldError[]): void {
  if (errors.length === 0) return;
  throw new Error(`Cannot set up ${plugin}: ${errors.map(fieldErrorText).join(', ')}`);
}

/** `resources` below `scoringStrategy` is `scoringStrategy.resources`; a path may be empty. */
export function childPath(path: string, name: string): string {
  return path === '' ? name : `${path}.${name}`;
}
