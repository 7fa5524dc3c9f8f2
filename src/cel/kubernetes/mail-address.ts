import { parseIp } from '../../api/values/index.ts';

/** Whether a text is one address of RFC 5322, such as `a@b.c` or `Ann <a@b.c>`, as Go's net/mail reads it. */
export function isMailAddress(text: string): boolean {
  return new AddressReader(text).isSingleAddress();
}

const SPECIALS = '()<>[]:;@\\,"';
/** Encoded words in other charsets cannot be read. */
const KNOWN_CHARSETS = new Set(['utf-8', 'iso-8859-1', 'us-ascii']);
const ENCODED_WORD = /^=\?([^?]+)\?[bqBQ]\?[^?]*\?=$/;

/**
 * Scans a string once; every method returns whether it found the element it is named for, and if so advances past it.
 */
class AddressReader {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  isSingleAddress(): boolean {
    return this.#addresses(true) === 1 && this.#comments() && this.#at === this.#text.length;
  }

  /** How many addresses there are here: one, or those of a group; undefined when it is not an address. */
  #addresses(mayBeGroup: boolean): number | undefined {
    this.#spaces();
    const start = this.#at;
    if (this.#plainAddress()) {
      this.#spaces();
      if (this.#peek() !== '(') return 1;
      return this.#comment() ? 1 : undefined;
    }
    this.#at = start;
    if (this.#peek() !== '<' && !this.#phrase()) return undefined;
    this.#spaces();
    if (mayBeGroup && this.#take(':')) return this.#group();
    return this.#take('<') && this.#plainAddress() && this.#take('>') ? 1 : undefined;
  }

  #group(): number | undefined {
    this.#spaces();
    if (this.#take(';')) return this.#comments() ? 0 : undefined;
    for (let count = 0; ;) {
      const more = this.#addresses(false);
      if (more === undefined || !this.#comments()) return undefined;
      count += more;
      if (this.#take(';')) return this.#comments() ? count : undefined;
      if (!this.#take(',')) return undefined;
    }
  }

  /** `local@domain` */
  #plainAddress(): boolean {
    this.#spaces();
    const isLocal = this.#peek() === '"' ? (this.#quoted() ?? 0) > 0 : isDotAtom(this.#atom());
    if (!isLocal || !this.#take('@')) return false;
    this.#spaces();
    return this.#peek() === '[' ? this.#literal() : isDotAtom(this.#atom());
  }

  /** The name before an address in angle brackets: words and quoted strings, with comments between them. */
  #phrase(): boolean {
    for (let words = 0; ; words++) {
      if (words > 0 && !this.#comments()) return false;
      this.#spaces();
      const start = this.#at;
      const isWord = this.#peek() === '"' ? this.#quoted() !== undefined : isReadable(this.#atom());
      if (!isWord) {
        this.#at = this.#peek() === '"' ? start : this.#at;
        return words > 0;
      }
    }
  }

  #atom(): string {
    const start = this.#at;
    while (this.#at < this.#text.length && isVisible(this.#peek()) && !SPECIALS.includes(this.#peek())) this.#at += 1;
    return this.#text.slice(start, this.#at);
  }

  /** The length of a quoted string. */
  #quoted(): number | undefined {
    let length = 0;
    for (let at = this.#at + 1; at < this.#text.length; at++, length++) {
      let character = this.#text.charAt(at);
      if (character === '"') {
        this.#at = at + 1;
        return length;
      }
      if (character === '\\') {
        at += 1;
        character = this.#text.charAt(at);
      }
      if (!isVisible(character) && character !== ' ' && character !== '\t') return undefined;
    }
    return undefined;
  }

  /** `[1.2.3.4]` */
  #literal(): boolean {
    const end = this.#text.indexOf(']', this.#at);
    const ip = end < 0 ? undefined : parseIp(this.#text.slice(this.#at + 1, end));
    this.#at = end + 1;
    return ip !== undefined && !ip.isSloppy;
  }

  #comments(): boolean {
    this.#spaces();
    while (this.#peek() === '(') {
      if (!this.#comment()) return false;
      this.#spaces();
    }
    return true;
  }

  #comment(): boolean {
    let depth = 0;
    do {
      const character = this.#peek();
      if (character === '') return false;
      if (character === '\\' && this.#at + 1 < this.#text.length) this.#at += 1;
      else if (character === '(') depth += 1;
      else if (character === ')') depth -= 1;
      this.#at += 1;
    } while (depth > 0);
    return true;
  }

  #spaces(): void {
    while (this.#peek() === ' ' || this.#peek() === '\t') this.#at += 1;
  }

  #take(character: string): boolean {
    if (this.#peek() !== character) return false;
    this.#at += 1;
    return true;
  }

  /** The next character; empty at the end. */
  #peek(): string {
    return this.#text.charAt(this.#at);
  }
}

function isVisible(character: string): boolean {
  return (character > ' ' && character <= '~') || character >= '\u0080';
}

function isDotAtom(atom: string): boolean {
  return atom !== '' && !atom.startsWith('.') && !atom.endsWith('.') && !atom.includes('..');
}

/** A word may have dots anywhere, but not be in an unknown encoding. */
function isReadable(atom: string): boolean {
  const charset = ENCODED_WORD.exec(atom)?.[1];
  return atom !== '' && (charset === undefined || KNOWN_CHARSETS.has(charset.toLowerCase()));
}
