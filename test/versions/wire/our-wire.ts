import { ADDED_VERSIONS, builtInTypes, type Shape, type Struct } from '../../../src/api/index.ts';
import type { KubernetesVersion } from '../../../src/base/index.ts';

/**
 * The fields of every type that a version makes use of, as Go declares them: `name 2.1`, or `name 3 always` for one that is written even
 * when it is empty. Only of fields whose Go type has no name of its own is the latter told.
 */
export function ourWire(version: KubernetesVersion): Record<string, string> {
  const types = builtInTypes(version);
  const found = new Map<string, string>();
  const served = types.resources().filter((each) => !ADDED_VERSIONS.includes(`${each.group}/${each.version}`));
  const waiting = served.flatMap(({ type, subresources }) => [type, ...subresources.map((each) => each.type)]);
  for (let struct = waiting.pop(); struct !== undefined; struct = waiting.pop()) {
    if (found.has(struct.name)) continue;
    found.set(struct.name, lines(struct));
    for (const field of struct.fields) {
      let { shape } = field;
      while (shape.kind === 'list' || shape.kind === 'map') shape = shape.kind === 'list' ? shape.element : shape.value;
      if (shape.kind === 'struct') waiting.push(shape.struct);
    }
  }
  return Object.fromEntries([...found].sort(([left], [right]) => (left < right ? -1 : 1)));
}

/** Whether Go has a type with a name for it: all special scalars, and lists and maps of them. */
function isNamed(shape: Shape): boolean {
  if (shape.kind === 'list') return isNamed(shape.element) || shape.element.kind !== 'scalar';
  if (shape.kind === 'map') return isNamed(shape.value) || shape.value.kind !== 'scalar';
  return shape.kind === 'scalar' && !PLAIN.has(shape.scalar);
}

const PLAIN: ReadonlySet<string> = new Set(['string', 'int32', 'int64', 'bool', 'bytes']);

function lines(struct: Struct): string {
  return struct.fields
    .filter(({ name }) => struct.kind === undefined || (name !== 'kind' && name !== 'apiVersion'))
    .map(({ name, number, inside, omit, shape, goType }) => {
      const isPlain = goType === undefined && shape.kind !== 'struct' && !isNamed(shape);
      const isAlways = omit === 'never' && isPlain;
      return `${name} ${[...inside, number].join('.')}${isAlways ? ' always' : ''}`;
    })
    .sort()
    .join(', ');
}
