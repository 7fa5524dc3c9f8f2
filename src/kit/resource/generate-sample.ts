import type { Random } from '../../base/index.ts';
import { isSchema, type Structural } from './schema-words.ts';
import { textOfPattern } from './text-of-pattern.ts';

/** The share of optional fields that are present. */
const PRESENT = 0.7;
const NULL = 0.15;

const FORMATS: Readonly<Record<string, string>> = {
  'date-time': '2024-02-29T12:30:45Z',
  date: '2024-02-29',
  duration: '90s',
  uuid: '0f8fad5b-d9cb-469f-a165-70867728950e',
  ipv4: '192.0.2.7',
  ipv6: '2001:db8::7',
  cidr: '192.0.2.0/24',
  uri: 'https://example.com/a?b=c',
  email: 'jane@example.com',
  hostname: 'www.example.com',
  byte: 'aGVsbG8=',
  mac: '00:00:5e:00:53:01',
};

/** A random value for a structural schema, often at its limits. Ignores CEL rules. */
export function generateSample(schema: Structural, random: Random): unknown {
  if (schema.nullable === true && random.float() < NULL) return null;
  if (schema.enum !== undefined && schema.enum.length > 0) return oneOf(schema.enum, random);
  if (schema['x-kubernetes-int-or-string'] === true) {
    const isText = schema.pattern !== undefined || random.int(2) === 0;
    return isText ? text({ pattern: '[1-9][0-9]?%', ...schema }, random) : wholeNumber(schema, random);
  }
  switch (schema.type) {
    case 'object':
      return object(schema, random);
    case 'array': {
      const items = isSchema(schema.items) ? (schema.items as Structural) : {};
      const made = Array.from({ length: count(schema.minItems, schema.maxItems, random) }, () =>
        generateSample(items, random),
      );
      return schema['x-kubernetes-list-type'] === 'set' ? [...new Set(made)] : made;
    }
    case 'string':
      return text(schema, random);
    case 'integer':
      return wholeNumber(schema, random);
    case 'number':
      return schema.multipleOf === undefined
        ? wholeNumber(schema, random) + oneOf([0, 0.5], random)
        : wholeNumber(schema, random);
    case 'boolean':
      return random.int(2) === 0;
    default:
      return oneOf<unknown>([{}, { any: 'thing' }], random);
  }
}

function object(schema: Structural, random: Random): Record<string, unknown> {
  const value: Record<string, unknown> = {};
  const choices = schema.oneOf ?? schema.anyOf ?? [];
  const chosen: Structural = choices.length === 0 ? {} : oneOf(choices, random);
  const required = new Set([...(schema.required ?? []), ...(chosen.required ?? [])]);
  for (const [name, field] of Object.entries(schema.properties ?? {})) {
    if (!required.has(name) && random.float() >= PRESENT) continue;
    value[name] = generateSample({ ...field, ...chosen.properties?.[name] }, random);
  }
  const values = schema.additionalProperties;
  if (isSchema(values)) {
    const size = count(schema.minProperties, schema.maxProperties, random);
    for (let index = 0; index < size; index++) value[`key-${index}`] = generateSample(values as Structural, random);
  }
  return value;
}

function text(schema: Structural, random: Random): string {
  const known = FORMATS[schema.format ?? ''];
  if (known !== undefined) return known;
  const pattern = schema.pattern ?? schema.allOf?.find((part) => part.pattern !== undefined)?.pattern;
  const made = pattern === undefined ? undefined : textOfPattern(pattern, random);
  if (made !== undefined) return made;
  if (pattern !== undefined) return String(schema.example ?? schema.default ?? '');
  return random.nameSuffix(count(schema.minLength, schema.maxLength, random));
}

function wholeNumber(schema: Structural, random: Random): number {
  const step = schema.multipleOf ?? 1;
  const least = (schema.minimum ?? Math.min(-1, schema.maximum ?? 0)) + (schema.exclusiveMinimum === true ? 1 : 0);
  const most = (schema.maximum ?? Math.max(least, 1000)) - (schema.exclusiveMaximum === true ? 1 : 0);
  const [low, high] = [Math.ceil(least / step), Math.floor(most / step)];
  if (high <= low) return low * step;
  const drawn = low + random.int(Math.min(high - low, 2 ** 31) + 1);
  return oneOf([low, high, drawn, drawn], random) * step;
}

function count(least = 0, most = least + 3, random: Random): number {
  return least + random.int(Math.max(Math.min(most - least, 5), 0) + 1);
}

function oneOf<T>(choices: readonly T[], random: Random): T {
  return choices[random.int(choices.length)] as T;
}
