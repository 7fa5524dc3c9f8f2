import type { FieldError } from '../../api/index.ts';
import { loadServerCode } from './load-server-code.ts';
import type { Definition } from './resource-options.ts';

/** The errors that a server would report for a definition; empty if it would accept it. */
export async function checkDefinition(definition: Definition): Promise<readonly FieldError[]> {
  const { definitionErrors } = await loadServerCode();
  return definitionErrors(definition);
}
