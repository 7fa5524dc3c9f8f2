import { badRequest } from '../status.ts';
import { parseGoInteger, ValueError } from '../values/index.ts';

/** The parameters of a request's query, by name. */
export class Query {
  readonly #values: ReadonlyMap<string, readonly string[]>;
  readonly text: string;

  constructor(text: string) {
    this.text = text;
    this.#values = text === '' ? none : parse(text);
  }

  get(name: string): string {
    return this.#values.get(name)?.[0] ?? '';
  }

  all(name: string): readonly string[] {
    return this.#values.get(name) ?? [];
  }

  has(name: string): boolean {
    return this.#values.has(name);
  }
}

const none: ReadonlyMap<string, readonly string[]> = new Map();

function parse(text: string): Map<string, string[]> {
  const values = new Map<string, string[]>();
  for (const [name, value] of new URLSearchParams(text)) {
    const known = values.get(name);
    if (known === undefined) values.set(name, [value]);
    else known.push(value);
  }
  return values;
}

/** Parses a boolean as Go's query decoding does: a parameter without a value is true. */
export function booleanParameter(query: Query, name: string): boolean {
  if (!query.has(name)) return false;
  const text = query.get(name).toLowerCase();
  return text !== 'false' && text !== '0';
}

/** Parses an int64 parameter; undefined if it is missing. */
export function integerParameter(query: Query, name: string): number | undefined {
  if (!query.has(name)) return undefined;
  const text = query.get(name);
  if (text === '') return undefined;
  const value = parseGoInteger(text, 'ParseInt');
  if (value instanceof ValueError) throw badRequest(value.message);
  return Number(value);
}
