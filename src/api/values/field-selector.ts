import { compareUtf8 } from '../../base/index.ts';
import { ValueError } from './value-error.ts';

/** A requirement on one field; `==` equals `=`. */
export interface FieldRequirement {
  readonly field: string;
  readonly operator: '=' | '!=';
  readonly value: string;
}

/** The value of a selectable field; empty if the object does not have it. */
export type FieldValue = (field: string) => string;

/** Checks a field and its value, and may rewrite them; both empty drops the requirement. */
export type FieldConversion = (field: string, value: string) => readonly [field: string, value: string] | ValueError;

/** A compiled field selector. Immutable. */
export class FieldMatcher {
  /** All must hold. */
  readonly requirements: readonly FieldRequirement[];
  readonly #fields = new Map<string, { readonly wanted: Set<string>; readonly unwanted: Set<string> }>();

  constructor(requirements: readonly FieldRequirement[]) {
    this.requirements = requirements;
    for (const { field, operator, value } of requirements) {
      const values = this.#fields.get(field) ?? { wanted: new Set(), unwanted: new Set() };
      (operator === '=' ? values.wanted : values.unwanted).add(value);
      this.#fields.set(field, values);
    }
  }

  /** Whether it selects every object. */
  get isEmpty(): boolean {
    return this.requirements.length === 0;
  }

  matches(valueOf: FieldValue): boolean {
    for (const [field, { wanted, unwanted }] of this.#fields) {
      const value = valueOf(field);
      if (unwanted.has(value) || wanted.size > 1 || (wanted.size === 1 && !wanted.has(value))) return false;
    }
    return true;
  }

  /** The only value that the field may have, if there is one. */
  exactValue(field: string): string | undefined {
    return this.requirements.find((candidate) => candidate.field === field && candidate.operator === '=')?.value;
  }

  /** The selector as a string that can be parsed again. */
  toString(): string {
    return this.requirements.map(({ field, operator, value }) => field + operator + escapeFieldValue(value)).join(',');
  }
}

/** Maximum number of terms; upstream accepts what fits into a request's headers. */
const MAX_TERMS = 10_000;

/** Parses a selector such as `metadata.name=web,status.phase!=Running`; `\`, `,` and `=` in a value are escaped by `\`. */
export function parseFieldSelector(text: string, convert: FieldConversion = keep): FieldMatcher | ValueError {
  const requirements: FieldRequirement[] = [];
  const terms = splitTerms(text);
  if (terms.length > MAX_TERMS) return new ValueError(`invalid selector: more than ${MAX_TERMS} terms`);
  for (const term of terms.toSorted(compareUtf8)) {
    if (term === '') continue;
    const requirement = parseTerm(text, term);
    if (requirement instanceof ValueError) return requirement;
    requirements.push(requirement);
  }
  return convertAll(requirements, convert);
}

function keep(field: string, value: string): readonly [string, string] {
  return [field, value];
}

/** Escapes a value for a field selector. */
export function escapeFieldValue(value: string): string {
  return value.replace(/[\\,=]/g, '\\$&');
}

/** Unescapes a value of a field selector. */
export function unescapeFieldValue(text: string): string | ValueError {
  if (!/[\\,=]/.test(text)) return text;
  let value = '';
  let isEscaped = false;
  for (const character of text) {
    const isSpecial = character === '\\' || character === ',' || character === '=';
    if (isEscaped && !isSpecial) {
      return new ValueError(`invalid field selector: invalid escape sequence: \\${character}`);
    }
    if (!isEscaped && isSpecial && character !== '\\') {
      const code = character.charCodeAt(0);
      return new ValueError(`invalid field selector: unescaped character in value: ${code}`);
    }
    isEscaped = !isEscaped && character === '\\';
    if (!isEscaped) value += character;
  }
  return isEscaped ? new ValueError('invalid field selector: invalid escape sequence: \\') : value;
}

/** Splits at commas that no backslash escapes. */
function splitTerms(text: string): string[] {
  const terms: string[] = [];
  let start = 0;
  for (let at = 0; at < text.length; at++) {
    if (text[at] === '\\') at++;
    else if (text[at] === ',') {
      terms.push(text.slice(start, at));
      start = at + 1;
    }
  }
  return [...terms, text.slice(start)];
}

function parseTerm(selector: string, term: string): FieldRequirement | ValueError {
  const sign = /!=|==?/.exec(term);
  if (sign === null) return new ValueError(`invalid selector: '${selector}'; can't understand '${term}'`);
  const value = unescapeFieldValue(term.slice(sign.index + sign[0].length));
  if (value instanceof ValueError) return value;
  return { field: term.slice(0, sign.index), operator: sign[0] === '!=' ? '!=' : '=', value };
}

function convertAll(requirements: readonly FieldRequirement[], convert: FieldConversion): FieldMatcher | ValueError {
  const converted: FieldRequirement[] = [];
  for (const { field, operator, value } of requirements) {
    const result = convert(field, value);
    if (result instanceof ValueError) return result;
    if (result[0] !== '' || result[1] !== '') converted.push({ field: result[0], operator, value: result[1] });
  }
  return new FieldMatcher(converted);
}
