import type { FieldError } from '../../api/index.ts';
import { loadServerCode } from './load-server-code.ts';
import type { Definition } from './resource-options.ts';

/** What a server would say against a definition; nothing when it would take it. */
export async function checkDefinition(definition: Definition): Promise<readonly FieldError[]> {
  const { definitionErrors } = await loadServerCode();
  return definitionErrors(definition);
}
