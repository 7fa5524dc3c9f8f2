/** The names and the tag of the operations at some paths. */
export interface OperationNames {
  readonly tag: string;
  id(verb: string, rest: string): string;
}

/**
 * The names for all paths that start like `path`. An operationId has the API group and version between the verb and the
 * rest.
 *
 * Example: below `/api/v1`, `read` and `NamespacedPodStatus` make `readCoreV1NamespacedPodStatus`, with the tag `core_v1`.
 */
export function operationNames(path: string): OperationNames {
  const parts = path.split('/').filter((part) => part !== '');
  const [root = '', first = '', second] = parts[0] === 'api' ? ['apis', 'core', ...parts.slice(1)] : parts;
  if (root !== 'apis' || first === '') return { tag: identifier(root), id: (verb, rest) => verb + rest };
  const group = identifier(first.endsWith('.k8s.io') ? first.slice(0, -'.k8s.io'.length) : first);
  const version = identifier(second ?? '');
  const middle = capitalized(group) + capitalized(version);
  return { tag: second === undefined ? group : `${group}_${version}`, id: (verb, rest) => verb + middle + rest };
}

/** Drops characters that identifiers may not have, and capitalizes the next one. */
function identifier(text: string): string {
  let result = '';
  let startsWord = false;
  for (let index = 0; index < text.length; index++) {
    const letter = text.charAt(index);
    if (/[A-Za-z_]/.test(letter) || (index > 0 && /\d/.test(letter))) {
      result += startsWord ? letter.toUpperCase() : letter;
      startsWord = false;
    } else {
      startsWord = true;
    }
  }
  return result;
}

/** The first letter in upper case. */
export function capitalized(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
