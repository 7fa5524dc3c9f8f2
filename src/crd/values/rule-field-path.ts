import type { Shape } from '../../api/index.ts';

/** A step of a path such as `.spec['a.b'].c`: a name after a dot, or a quoted one in brackets. */
const STEP = /\.([^.[\]]+)|\['((?:[^'\\]|\\.)*)'\]/y;

const ESCAPES: Readonly<Record<string, string>> = {
  a: '\x07',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
  "'": "'",
  '\\': '\\',
};

/**
 * The `fieldPath` of a rule as errors write it, such as `spec.a.b` and `spec.map[key]`; undefined when it does not lead to
 * a field of the place.
 */
export function ruleFieldPath(text: string, place: Shape): string | undefined {
  let shape: Shape | undefined = place;
  let path = '';
  STEP.lastIndex = 0;
  while (STEP.lastIndex < text.length) {
    const [, plain, quoted] = STEP.exec(text) ?? [];
    const name = plain ?? (quoted === undefined ? undefined : unescaped(quoted));
    if (name === undefined || shape === undefined) return undefined;
    if (shape.kind === 'map') {
      path += `[${name}]`;
      shape = shape.value;
    } else {
      shape = shape.kind === 'struct' ? shape.struct.field(name)?.shape : undefined;
      if (shape === undefined) return undefined;
      path += path === '' ? name : `.${name}`;
    }
  }
  return path;
}

function unescaped(text: string): string | undefined {
  let isValid = true;
  const result = text.replaceAll(/\\(.)/g, (_, character: string) => {
    const meant = ESCAPES[character];
    if (meant === undefined) isValid = false;
    return meant ?? '';
  });
  return isValid ? result : undefined;
}
