/** Runes of text that a response may carry in warnings; when there is more, each warning is cut. */
const MAX_RUNES = 4096;
const MAX_RUNES_EACH = 256;

/**
 * The values of `Warning` headers for these texts, in order. When the texts are too long together, each is cut to 256
 * runes, and what still does not fit is left out. Texts that hold control characters are left out, too.
 */
export function warningHeaders(texts: readonly string[]): readonly string[] {
  const headers: string[] = [];
  let written = 0;
  for (const [index, text] of texts.entries()) {
    if (!isPrintable(text)) continue;
    const length = runeCount(text);
    if (written + length > MAX_RUNES) return cutWarnings(texts, index);
    written += length;
    headers.push(headerValue(text));
  }
  return headers;
}

/** Those up to `index` are cut whatever that makes; those behind it only go in while there is room. */
function cutWarnings(texts: readonly string[], index: number): readonly string[] {
  const headers: string[] = [];
  let written = 0;
  for (const [position, text] of texts.entries()) {
    if (position > index && written >= MAX_RUNES) break;
    if (!isPrintable(text)) continue;
    const cut = Array.from(text).slice(0, MAX_RUNES_EACH).join('');
    written += runeCount(cut);
    headers.push(headerValue(cut));
  }
  return headers;
}

function runeCount(text: string): number {
  let count = 0;
  for (const _ of text) count += 1;
  return count;
}

function isPrintable(text: string): boolean {
  return text !== '' && !/\p{Cc}/u.test(text);
}

/** Headers are bytes: text beyond ASCII goes out as UTF-8, which a transport takes one byte a character. */
function headerValue(text: string): string {
  const quoted = `299 - "${text.replace(/["\\]/g, '\\$&')}"`;
  return Buffer.from(quoted, 'utf8').toString('latin1');
}
