import type { NonResourceAttributes, ResourceAttributes } from '../../api/types/authorization/v1.d.ts';
import type { RequestInfo } from '../../apiserver/index.ts';

/** A question of an access review, put as the request it is about. */
export function questionOf(
  resource: ResourceAttributes | undefined,
  other: NonResourceAttributes | undefined,
): RequestInfo {
  const { verb = '', namespace = '', group = '', version = '', name = '', subresource = '' } = resource ?? {};
  const plural = resource?.resource ?? '';
  return {
    isResource: resource !== undefined,
    path: other?.path ?? '',
    verb: resource === undefined ? (other?.verb ?? '') : verb,
    group,
    version: version === '' && resource !== undefined ? '*' : version,
    namespace,
    resource: plural,
    subresource,
    name,
    subpath: '',
    parts: resource === undefined ? [] : [plural, name, subresource].filter((part) => part !== ''),
  };
}
