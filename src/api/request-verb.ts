/** What a request is about, as far as its verb depends on it. */
export interface VerbTarget {
  readonly hasName: boolean;
  /** The query asks for a watch. */
  readonly isWatch: boolean;
  /** The path has `watch` in front of the resource. */
  readonly isOldWatch?: boolean;
}

/** The API verb of a request for resources; empty for methods that are allowed nowhere. */
export function requestVerb(method: string, { hasName, isWatch, isOldWatch = false }: VerbTarget): string {
  switch (method) {
    case 'POST':
      return 'create';
    case 'PUT':
      return 'update';
    case 'PATCH':
      return 'patch';
    case 'DELETE':
      return hasName ? 'delete' : 'deletecollection';
    case 'GET':
    case 'HEAD':
      if (hasName && !isOldWatch) return 'get';
      return isWatch || isOldWatch ? 'watch' : 'list';
    default:
      return '';
  }
}
