import { DecodeError } from '../../base/index.ts';
import { parseExact } from './exact-parse.ts';
import { type JsonNode } from './json-node.ts';
import { countKeys } from './raw-json.ts';
import { type Survey, survey } from './survey.ts';

/**
 * A JSON text that has been parsed, and not decoded into a type yet: who decodes a body must first look for its kind.
 *
 * Ends: the constructor throws a DecodeError in the words of Go's scanner when the text is not JSON.
 */
export class JsonBody {
  readonly survey: Survey;
  readonly #bytes: Uint8Array;
  #value: { readonly value: unknown } | undefined;
  #node: JsonNode | undefined;

  constructor(text: string | Uint8Array) {
    this.#bytes = typeof text === 'string' ? Buffer.from(text, 'utf8') : text;
    this.survey = survey(this.#bytes);
    if (this.survey.isPlain) this.#value = { value: this.#parse() };
    else this.#node = parseExact(this.#bytes);
  }

  /** What was written, exactly; parsed when first asked for. */
  get node(): JsonNode {
    return (this.#node ??= parseExact(this.#bytes));
  }

  /** Whether a key may come twice in one of the objects. */
  get mayHaveDuplicates(): boolean {
    return !this.survey.isPlain || this.survey.keys !== countKeys(this.peekValue());
  }

  /** The value, only to look at, if nothing but duplicate keys is lost in it. */
  peekValue(): unknown {
    if (!this.survey.isPlain) return undefined;
    this.#value ??= { value: this.#parse() };
    return this.#value.value;
  }

  /** The value, if nothing but duplicate keys is lost in it. It now belongs to the caller; the next one gets another. */
  takeValue(): unknown {
    const { value } = this.#value ?? { value: this.#parse() };
    this.#value = undefined;
    return value;
  }

  #parse(): unknown {
    const { buffer, byteOffset, byteLength } = this.#bytes;
    try {
      return JSON.parse(Buffer.from(buffer, byteOffset, byteLength).toString('utf8'));
    } catch (cause) {
      parseExact(this.#bytes);
      throw new DecodeError('syntax', 'invalid JSON', { cause }); // not reached while both parsers agree on what JSON is
    }
  }
}
