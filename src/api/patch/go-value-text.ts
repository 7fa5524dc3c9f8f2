import { compareUtf8 } from '../../base/index.ts';
import { quoteGo } from '../values/index.ts';

/** A JSON value as Go's `%v` prints the decoded one: `map[a:1 b:[x y]]`. Messages to clients quote values in this form. */
export function goText(value: unknown): string {
  if (value === null || value === undefined) return '<nil>';
  if (Array.isArray(value)) return `[${value.map((item) => goText(item)).join(' ')}]`;
  if (typeof value === 'object') {
    return `map[${sortedEntries(value)
      .map(([name, member]) => `${name}:${goText(member)}`)
      .join(' ')}]`;
  }
  return typeof value === 'number' ? goNumber(value) : String(value);
}

/** The same as `%#v` prints it: `map[string]interface {}{"a":1}`. */
export function goSyntax(value: unknown): string {
  if (value === null || value === undefined) return 'interface {}(nil)';
  if (typeof value === 'string') return quoteGo(value);
  if (Array.isArray(value)) return `[]interface {}{${value.map((item) => goSyntax(item)).join(', ')}}`;
  if (typeof value === 'object') {
    const members = sortedEntries(value).map(([name, member]) => `${quoteGo(name)}:${goSyntax(member)}`);
    return `map[string]interface {}{${members.join(', ')}}`;
  }
  return typeof value === 'number' ? goNumber(value) : String(value);
}

/** The Go type of a decoded JSON value, as `%T` prints it. */
export function goType(value: unknown): string {
  switch (typeof value) {
    case 'string':
      return 'string';
    case 'boolean':
      return 'bool';
    case 'number':
    case 'bigint':
      return !Number.isInteger(Number(value)) ? 'float64' : 'int64';
    default:
      if (value === null || value === undefined) return '<nil>';
      return Array.isArray(value) ? '[]interface {}' : 'map[string]interface {}';
  }
}

function sortedEntries(value: object): [string, unknown][] {
  return Object.entries(value).sort(([left], [right]) => compareUtf8(left, right));
}

/** Whole numbers are decoded as integers. */
function goNumber(value: number): string {
  return Number.isInteger(value) ? String(value) : goFloat(value);
}

const EXPONENT_FROM = 6;

/** `%g` with the shortest precision: an exponent from 1e+06 on and below 0.0001. */
export function goFloat(value: number): string {
  const [mantissa = '', exponentText = '0'] = value.toExponential().split('e');
  const exponent = Number(exponentText);
  if (exponent >= -4 && exponent < EXPONENT_FROM) return String(value);
  const digits = String(Math.abs(exponent)).padStart(2, '0');
  return `${mantissa}e${exponent < 0 ? '-' : '+'}${digits}`;
}
