/** The properties of a request that its verb depends on. */
export interface VerbTarget {
  readonly hasName: boolean;
  /** The query has `watch=true`. */
  readonly isWatch: boolean;
  /** The path has `watch` before the resource. */
  readonly isOldWatch?: boolean;
}

/** The API verb of a request for resources; empty for methods that are never allowed. */
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
