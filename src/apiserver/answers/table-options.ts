import { badRequest } from '../../api/index.ts';
import type { Query } from '../request/query.ts';

/** What each row of a table carries besides its cells. */
export type IncludeObject = 'None' | 'Metadata' | 'Object';

export function includeObject(query: Query): IncludeObject {
  const asked = query.get('includeObject');
  switch (asked) {
    case '':
      return 'Metadata';
    case 'None':
    case 'Metadata':
    case 'Object':
      return asked;
    default:
      throw badRequest(
        `Unable to convert to Table as requested: includeObject: Invalid value: ${JSON.stringify(asked)}: ` +
          "must be 'Metadata', 'Object', 'None', or empty",
      );
  }
}
