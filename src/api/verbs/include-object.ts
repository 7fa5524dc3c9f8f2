import { badRequest } from '../status.ts';
import type { Query } from './query.ts';

/** What each row of a table contains besides its cells. */
export type IncludeObject = 'None' | 'Metadata' | 'Object';

/** What the client wants in the rows of a table; default their metadata. */
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
