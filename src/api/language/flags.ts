import type { Constraints } from '../schema/constraints.ts';
import type { FieldFlags } from './definition.ts';

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

const BOUNDS = { min: 'minimum', max: 'maximum', maxlength: 'maxBytes' } as const;

/** Parses the flags of a field line: those of the field, and its constraints. */
export function parseFlags(
  words: readonly string[],
  fail: (problem: string) => never,
): { readonly flags: FieldFlags; readonly constraints: Constraints } {
  const flags: Mutable<FieldFlags> = {};
  const constraints: Mutable<Constraints> = {};
  for (const word of words) {
    const [, name = '', equals, value = ''] = /^([a-z]+)(=?)(.*)$/s.exec(word) ?? [];
    switch (name) {
      case 'required':
        if (value !== '' && value !== 'published' && value !== 'checked')
          fail(`required is either all or "published" or "checked", got "${value}"`);
        flags.required = value === '' ? true : value;
        break;
      case 'always':
      case 'omitzero':
      case 'immutable':
        flags[name] = true;
        break;
      case 'default':
      case 'fill':
        constraints[name] = parseValue(value, fail);
        break;
      case 'enum':
      case 'values':
        constraints[name] = parseChoices(value);
        break;
      case 'list': {
        const [, kind = '', , keys] = /^(atomic|set|map)(\((.*)\))?$/.exec(value) ?? [];
        if (kind === '') fail(`list type "${value}" is not atomic, set or map(keys)`);
        flags.list = kind as 'atomic' | 'set' | 'map';
        if (keys !== undefined) flags.keys = keys.split(',');
        break;
      }
      case 'map':
        if (value !== 'atomic' && value !== 'granular') fail(`map type "${value}" is not atomic or granular`);
        flags.map = value;
        break;
      case 'patch': {
        const [, strategy = '', , key] = /^([\w,]*)(\((.*)\))?$/.exec(value) ?? [];
        flags.patch = strategy;
        if (key !== undefined) flags.mergeKey = key;
        break;
      }
      case 'go':
        flags.go = value;
        break;
      case 'in':
        flags.in = value.split(',');
        break;
      case 'min':
      case 'max':
      case 'maxlength':
        if (equals === '' || !Number.isFinite(Number(value))) fail(`flag "${name}" needs a number, got "${value}"`);
        constraints[BOUNDS[name]] = Number(value);
        break;
      case 'format':
        constraints.syntax = value;
        break;
      case 'missing':
        flags.missing = parseText(value, fail);
        break;
      case 'below':
      case 'above':
        constraints[`${name}Says`] = parseText(value, fail);
        break;
      case 'outside':
        constraints.belowSays = parseText(value, fail);
        constraints.aboveSays = constraints.belowSays;
        break;
      case 'zero':
        if (value !== 'missing' && value !== 'absent') fail(`zero is missing or absent, not "${value}"`);
        constraints.zero = value;
        break;
      case 'at':
        if (value !== 'parent' && value !== 'list') fail(`"${value}" is not parent or list`);
        constraints.at = value;
        break;
      default:
        fail(`"${word}" is not a flag`);
    }
  }
  return { flags, constraints };
}

/** Parses `(A|B)`; `(*)` allows everything. */
function parseChoices(text: string): readonly string[] {
  const inner = text.slice(1, -1);
  return inner === '*' ? [] : inner.split('|').map((item) => (item === '""' ? '' : item));
}

/** `("…")` */
function parseText(text: string, fail: (problem: string) => never): string {
  const value = parseValue(text.slice(1, -1), fail);
  return typeof value === 'string' ? value : fail(`${text} is not a text`);
}

/** Parses JSON, or a bare word. A space inside is written `\u0020`. */
function parseValue(text: string, fail: (problem: string) => never): unknown {
  if (!/^([[{"\d-]|true$|false$|null$)/.test(text)) return text;
  try {
    return JSON.parse(text);
  } catch {
    return fail(`"${text}" is neither a word nor JSON`);
  }
}
