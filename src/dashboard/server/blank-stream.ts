import { LAST_APPLIED } from '../../api/client.ts';

/** Longest member name that is compared; longer ones are not among those that matter. */
const MAX_NAME = 1024;

/** An object or list that the reader is in. */
interface Level {
  readonly isObject: boolean;
  /** In an object: the name of the member that is being read. */
  name: string;
  hasElements: boolean;
  /** Strings below are values of Secrets. */
  readonly isSecret: boolean;
}

type Role = 'name' | 'value';

/**
 * Blanks the values of Secrets in JSON as it passes: in an object, a list, a table, and in the events of a watch. It holds no more than
 * one name, so a large list costs no memory.
 *
 * Every string below a member `data` or `stringData` becomes the empty string, and the annotation in which `kubectl apply` keeps the
 * object is left out. Whitespace between tokens is dropped; each whole value ends with a line feed, as events of watches do.
 */
export class BlankStream {
  readonly #decoder = new TextDecoder();
  readonly #levels: Level[] = [];
  /** The string that is being read, without its opening quote; undefined outside of strings. */
  #string: { readonly role: Role; readonly isKept: boolean; text: string; isEscaped: boolean } | undefined;
  /** How many levels deep the reader is in a value that is left out; undefined when it is in none. */
  #skipping: number | undefined;
  /** A number, `true`, `false` or `null`. */
  #literal = '';
  #awaits: Role = 'value';

  /** The blanked form of the next bytes. */
  write(bytes: Uint8Array): string {
    return this.#read(this.#decoder.decode(bytes, { stream: true }));
  }

  /** What remains at the end. */
  end(): string {
    return this.#read(this.#decoder.decode()) + this.#endLiteral();
  }

  #read(text: string): string {
    let out = '';
    for (let at = 0; at < text.length;) {
      if (this.#string === undefined) {
        out += this.#token(text[at] ?? '');
        at += 1;
        continue;
      }
      const end = endOfRun(text, at, this.#string.isEscaped);
      out += this.#inString(text.slice(at, end.at), end.isEscaped);
      at = end.at;
      if (!end.isClosed) continue;
      out += this.#endString();
      at += 1;
    }
    return out;
  }

  #token(character: string): string {
    switch (character) {
      case ' ':
      case '\n':
      case '\r':
      case '\t':
      case ',':
        return this.#endLiteral();
      case ':':
        return '';
      case '"':
        return this.#beginString();
      case '{':
      case '[':
        return this.#enter(character === '{');
      case '}':
      case ']':
        return this.#endLiteral() + this.#leave(character);
      default:
        this.#literal += character;
        return '';
    }
  }

  get #level(): Level | undefined {
    return this.#levels.at(-1);
  }

  /** What stands before a value: a comma between elements of a list; members have written theirs before their name. */
  #before(): string {
    const level = this.#level;
    if (level === undefined || level.isObject) return '';
    const comma = level.hasElements ? ',' : '';
    level.hasElements = true;
    return comma;
  }

  #beginString(): string {
    const role: Role = this.#level?.isObject === true && this.#awaits === 'name' ? 'name' : 'value';
    if (role === 'name') {
      this.#string = { role, isKept: true, text: '', isEscaped: false };
      return '';
    }
    const isLeftOut = this.#skipping !== undefined;
    const isKept = !isLeftOut && this.#level?.isSecret !== true && !this.#isSecretMember();
    this.#string = { role, isKept, text: '', isEscaped: false };
    return isLeftOut ? '' : `${this.#before()}"`;
  }

  #inString(run: string, isEscaped: boolean): string {
    const string = this.#string;
    if (string === undefined) return '';
    string.isEscaped = isEscaped;
    if (string.role === 'value') return string.isKept ? run : '';
    if (string.text.length <= MAX_NAME) string.text += run;
    else if (this.#skipping === undefined) string.text += run; // too long to matter, but shown whole
    return '';
  }

  #endString(): string {
    const string = this.#string;
    this.#string = undefined;
    if (string?.role === 'name') return this.#named(string.text);
    return this.#skipping === undefined ? `"${this.#ended()}` : this.#ended();
  }

  #named(text: string): string {
    const level = this.#level;
    this.#awaits = 'value';
    if (level === undefined) return '';
    const name = text.length <= MAX_NAME && text.includes('\\') ? (JSON.parse(`"${text}"`) as string) : text;
    level.name = name;
    if (this.#skipping !== undefined) return '';
    if (name === LAST_APPLIED && this.#levels.at(-2)?.name === 'annotations') {
      this.#skipping = this.#levels.length;
      return '';
    }
    const comma = level.hasElements ? ',' : '';
    level.hasElements = true;
    return `${comma}"${text}":`;
  }

  #enter(isObject: boolean): string {
    const before = this.#skipping === undefined ? this.#before() : '';
    const isSecret = this.#level?.isSecret === true || this.#isSecretMember();
    this.#levels.push({ isObject, name: '', hasElements: false, isSecret });
    this.#awaits = isObject ? 'name' : 'value';
    return this.#skipping === undefined ? `${before}${isObject ? '{' : '['}` : '';
  }

  #leave(character: string): string {
    this.#levels.pop();
    const isShown = this.#skipping === undefined;
    return isShown ? `${character}${this.#ended()}` : this.#ended();
  }

  /** A literal ends with the character after it. */
  #endLiteral(): string {
    if (this.#literal === '') return '';
    const text = this.#literal;
    this.#literal = '';
    const isShown = this.#skipping === undefined;
    const before = isShown ? this.#before() : '';
    return isShown ? `${before}${text}${this.#ended()}` : this.#ended();
  }

  /** A value has ended. */
  #ended(): string {
    const level = this.#level;
    this.#awaits = level?.isObject === true ? 'name' : 'value';
    if (this.#skipping === this.#levels.length) this.#skipping = undefined;
    return level === undefined ? '\n' : '';
  }

  /** Whether the member that is being read has the values of a Secret. */
  #isSecretMember(): boolean {
    const level = this.#level;
    return level?.isObject === true && (level.name === 'data' || level.name === 'stringData');
  }
}

/** The end of the part of a string that begins at `from`: the closing quote, or the end of the text. */
function endOfRun(
  text: string,
  from: number,
  isEscaped: boolean,
): { readonly at: number; readonly isClosed: boolean; readonly isEscaped: boolean } {
  let at = isEscaped ? from + 1 : from;
  for (; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === 0x22) return { at, isClosed: true, isEscaped: false };
    if (code === 0x5c) at += 1;
  }
  return { at: text.length, isClosed: false, isEscaped: at > text.length };
}
