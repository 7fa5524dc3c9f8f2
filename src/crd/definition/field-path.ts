import type { Schema } from './definition.ts';
import { valueSchema } from './inner-schemas.ts';

export type FieldPath =
  | { readonly ok: true; readonly path: string; readonly root: string; readonly schema: Schema | undefined }
  | { readonly ok: false; readonly problem: string };

const INVALID = 'does not refer to a valid field';
const END = 'unexpected end of JSON path';

/** Follows a path of fields and keys, such as `.spec.labels['a.b']`, through a schema. */
export function followFieldPath(
  text: string,
  schema: Schema,
  options: { readonly allowsBrackets: boolean },
): FieldPath {
  const walk = new PathWalk(schema);
  const tokens = tokensOf(text);
  for (let at = 0; at < tokens.length; at += 1) {
    const token = tokens[at] ?? '';
    if (token === '.') {
      at += 1;
      const name = tokens[at];
      if (name === undefined) return wrong(END);
      if (!walk.step(name)) return wrong(INVALID);
    } else if (token === '[') {
      if (!options.allowsBrackets) return wrong('array notation is not allowed');
      const quoted = tokens[at + 1];
      if (quoted === undefined) return wrong(END);
      if (!/^'.*'$/s.test(quoted) || quoted.length < 2) return wrong(`expected single quoted string but got ${quoted}`);
      const name = unescape(quoted.slice(1, -1));
      if (typeof name !== 'string') return wrong(`invalid string literal: ${name.problem}`);
      if (!walk.step(name)) return wrong(INVALID);
      const close = tokens[at + 2];
      if (close === undefined) return wrong(END);
      if (close !== ']') return wrong(`expected ] but got ${close}`);
      at += 2;
    } else {
      return wrong(`expected [ or . but got: ${token}`);
    }
  }
  return { ok: true, path: walk.path, root: walk.root, schema: walk.schema };
}

function wrong(problem: string): FieldPath {
  return { ok: false, problem };
}

/** Delimiters, quoted strings and what is between them. */
function tokensOf(text: string): readonly string[] {
  return text.match(/'(?:[^'\\]|\\[\s\S])*'|'[\s\S]*|[.[\]]|[^.[\]'][^.[\]]*/g) ?? [];
}

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

function unescape(text: string): string | { readonly problem: string } {
  const bad = [...text.matchAll(/\\([\s\S])/g)].find(([, letter = '']) => ESCAPES[letter] === undefined);
  if (bad !== undefined) return { problem: `invalid escape char ${bad[1]}` };
  return text.replace(/\\([\s\S])/g, (_, letter: string) => ESCAPES[letter] ?? '');
}

class PathWalk {
  schema: Schema | undefined;
  path = '';
  root = '';

  constructor(schema: Schema) {
    this.schema = schema;
  }

  step(name: string): boolean {
    const { properties = {}, additionalProperties } = this.schema ?? {};
    const isField = Object.hasOwn(properties, name);
    // Objects that name any fields have only those. The names of large ones are not counted each time.
    if (!isField && (additionalProperties === undefined || Object.keys(properties).length > 0)) return false;
    this.path += isField ? `${this.path === '' ? '' : '.'}${name}` : `[${name}]`;
    if (this.root === '') this.root = isField ? name : `[${name}]`;
    this.schema = isField ? properties[name] : valueSchema(this.schema ?? {});
    return true;
  }
}
