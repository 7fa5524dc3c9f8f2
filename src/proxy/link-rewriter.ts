/** The attributes of HTML that hold URLs, by element. */
const URL_ATTRIBUTES: Readonly<Record<string, readonly string[]>> = {
  a: ['href'],
  applet: ['codebase'],
  area: ['href'],
  audio: ['src'],
  base: ['href'],
  blockquote: ['cite'],
  body: ['background'],
  button: ['formaction'],
  command: ['icon'],
  del: ['cite'],
  embed: ['src'],
  form: ['action'],
  frame: ['longdesc', 'src'],
  head: ['profile'],
  html: ['manifest'],
  iframe: ['longdesc', 'src'],
  img: ['longdesc', 'src', 'usemap'],
  input: ['src', 'usemap', 'formaction'],
  ins: ['cite'],
  link: ['href'],
  object: ['classid', 'codebase', 'data', 'usemap'],
  q: ['cite'],
  script: ['src'],
  source: ['src'],
  video: ['poster', 'src'],
};

/** Elements whose content is text, even where it looks like markup. */
const TEXT_ELEMENTS = new Set([
  'iframe',
  'noembed',
  'noframes',
  'plaintext',
  'script',
  'style',
  'textarea',
  'title',
  'xmp',
]);

/** A longer tag is passed on unchanged. */
const MAX_TAG_CHARACTERS = 64 * 1024;

/** Rewrites the links of an HTML page that arrives in pieces; the rest of the page is unchanged. Bytes are characters (latin1). */
export class LinkRewriter {
  readonly #rewrite: (url: string) => string;
  #text = '';
  /** The tag at the beginning of the text has been searched for its end up to `at`; `quote` is the quote that is open there. */
  #scan = { at: 0, quote: '' };
  /** The text that ends the current text element or comment. */
  #until: string | undefined;

  constructor(rewrite: (url: string) => string) {
    this.#rewrite = rewrite;
  }

  /** Returns the part of the page that later pieces can no longer change. */
  push(piece: string): string {
    this.#text += piece;
    let done = '';
    for (;;) {
      const next = this.#until === undefined ? this.#next() : this.#untilEnd(this.#until);
      if (next === undefined) return done;
      done += next;
    }
  }

  /** Returns what is left. */
  end(): string {
    return this.#text;
  }

  #take(length: number): string {
    const taken = this.#text.slice(0, length);
    this.#text = this.#text.slice(length);
    this.#scan = { at: 0, quote: '' };
    return taken;
  }

  #untilEnd(end: string): string | undefined {
    const found = this.#text.search(new RegExp(end, 'i'));
    const sure = found === -1 ? this.#text.length - end.length + 1 : found;
    if (found !== -1) this.#until = undefined;
    return sure <= 0 && found === -1 ? undefined : this.#take(sure);
  }

  #next(): string | undefined {
    const open = this.#text.indexOf('<');
    if (this.#text === '') return undefined;
    if (open !== 0) return this.#take(open === -1 ? this.#text.length : open);
    if (this.#text.length < 4) return undefined;
    if (this.#text.startsWith('<!--')) {
      this.#until = '-->';
      return this.#take(4);
    }
    if (!/^<[a-z]/i.test(this.#text)) return this.#take(1);
    const end = this.#tagEnd();
    if (end === -1) return this.#text.length > MAX_TAG_CHARACTERS ? this.#take(this.#text.length) : undefined;
    return this.#tag(this.#take(end + 1));
  }

  #tagEnd(): number {
    let { at, quote } = this.#scan;
    for (; at < this.#text.length; at++) {
      const character = this.#text.charAt(at);
      if (quote !== '') quote = character === quote ? '' : quote;
      else if (character === '"' || character === "'") quote = character;
      else if (character === '>') return at;
    }
    this.#scan = { at, quote };
    return -1;
  }

  #tag(tag: string): string {
    const name = /^<([^\s/>]*)/.exec(tag)?.[1]?.toLowerCase() ?? '';
    if (TEXT_ELEMENTS.has(name) && !tag.endsWith('/>')) this.#until = `</${name}`;
    const attributes = URL_ATTRIBUTES[name];
    return attributes === undefined ? tag : this.#withLinks(tag, attributes);
  }

  /** Looks at every character once: the pattern always matches where it is tried. */
  #withLinks(tag: string, attributes: readonly string[]): string {
    const pattern = /([^\s"'<>/=]+)(?:\s*=\s*("[^"]*"|'[^']*'|[^\s"'<>`=]+))?|[^]/g;
    return tag.replace(pattern, (whole: string, name?: string, value?: string) => {
      if (name === undefined || value === undefined || !attributes.includes(name.toLowerCase())) return whole;
      const url = value.replace(/^(["'])([^]*)\1$/, '$2').replaceAll('&amp;', '&');
      const rewritten = this.#rewrite(url);
      return rewritten === url ? whole : `${name}="${rewritten.replaceAll('&', '&amp;').replaceAll('"', '&#34;')}"`;
    });
  }
}
