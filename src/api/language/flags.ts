import type { FieldFlags } from './definition.ts';

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

/** Reads the flags of a field line. */
export function parseFlags(words: readonly string[], fail: (problem: string) => never): FieldFlags {
  const flags: Mutable<FieldFlags> = {};
  for (const word of words) {
    const [, name = '', equals, value = ''] = /^([a-z]+)(=?)(.*)$/s.exec(word) ?? [];
    switch (name) {
      case 'required':
      case 'always':
      case 'omitzero':
      case 'immutable':
        flags[name] = true;
        break;
      case 'default':
      case 'fill':
        flags[name] = parseValue(value, fail);
        break;
      case 'enum':
      case 'values':
        flags[name] = value
          .slice(1, -1)
          .split('|')
          .map((item) => (item === '""' ? '' : item));
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
      case 'min':
      case 'max':
      case 'maxlength':
        if (equals === '' || !Number.isFinite(Number(value))) fail(`flag "${name}" needs a number, got "${value}"`);
        flags[name] = Number(value);
        break;
      case 'format':
        flags.format = value;
        break;
      default:
        fail(`"${word}" is not a flag`);
    }
  }
  return flags;
}

/** JSON where it looks like JSON, else the bare word. A space inside is written `\u0020`. */
function parseValue(text: string, fail: (problem: string) => never): unknown {
  if (!/^([[{"\d-]|true$|false$|null$)/.test(text)) return text;
  try {
    return JSON.parse(text);
  } catch {
    return fail(`"${text}" is neither a word nor JSON`);
  }
}
