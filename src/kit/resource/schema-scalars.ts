import type { Schema, Structural } from './schema-words.ts';

const INT32 = { minimum: -(2 ** 31), maximum: 2 ** 31 - 1 };
/** Formats that Kubernetes validates itself; the pattern that a library emits beside them is redundant. */
const CHECKED_FORMATS = new Set(['date-time', 'date', 'email', 'uuid', 'ipv4', 'ipv6', 'uri', 'cidr', 'duration']);
const FORMAT_NAMES: Readonly<Record<string, string>> = { base64: 'byte', time: 'partial-time' };

/** The bounds of a number. Bounds that only reflect JavaScript's number range become a format, or are dropped. */
export function numberRules(schema: Schema, type: 'integer' | 'number'): Structural {
  const rules: Structural = {};
  const { minimum, exclusiveMinimum: above, maximum, exclusiveMaximum: below, multipleOf, format } = schema;
  if (typeof minimum === 'number' && Math.abs(minimum) < largest(type)) rules.minimum = minimum;
  if (typeof maximum === 'number' && Math.abs(maximum) < largest(type)) rules.maximum = maximum;
  if (typeof above === 'number') Object.assign(rules, { minimum: above, exclusiveMinimum: true });
  if (typeof below === 'number') Object.assign(rules, { maximum: below, exclusiveMaximum: true });
  if (above === true && rules.minimum !== undefined) rules.exclusiveMinimum = true;
  if (below === true && rules.maximum !== undefined) rules.exclusiveMaximum = true;
  if (typeof multipleOf === 'number') rules.multipleOf = multipleOf;
  if (typeof format === 'string') rules.format = format;
  if (type === 'integer' && rules.minimum === INT32.minimum && rules.maximum === INT32.maximum) {
    delete rules.minimum;
    delete rules.maximum;
    rules.format = 'int32';
  }
  return rules;
}

/** The bound of the number type itself: safe integers, or 32-bit floats. */
function largest(type: 'integer' | 'number'): number {
  return type === 'integer' ? Number.MAX_SAFE_INTEGER : 3.4e38;
}

/** The rules of a string. `isRe2` is false for a pattern that the server could not compile. */
export function stringRules(schema: Schema): { readonly rules: Structural; readonly isRe2: boolean } {
  const rules: Structural = {};
  const { minLength, maxLength, format, pattern } = schema;
  if (typeof minLength === 'number') rules.minLength = minLength;
  if (typeof maxLength === 'number') rules.maxLength = maxLength;
  if (typeof format === 'string') rules.format = FORMAT_NAMES[format] ?? format;
  const source = pattern instanceof RegExp ? pattern.source : pattern;
  const isChecked = rules.format !== undefined && CHECKED_FORMATS.has(rules.format);
  if (typeof source !== 'string' || isChecked) return { rules, isRe2: true };
  rules.pattern = source;
  return { rules, isRe2: !/\(\?(?:[=!]|<[=!])|\\[1-9]|\\k</.test(source) };
}

/** The schema type that all values share; undefined if they differ. */
export function typeOfValues(values: readonly unknown[]): string | undefined {
  const types = new Set(values.filter((value) => value !== null).map(nameOfType));
  if (types.has('number')) types.delete('integer'); // 1 and 1.5 are both numbers
  return types.size === 1 ? [...types][0] : undefined;
}

function nameOfType(value: unknown): string {
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'number') return Number.isInteger(value) ? 'integer' : 'number';
  return typeof value;
}
