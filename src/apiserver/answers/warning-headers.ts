/** Maximum runes of all warnings of a response; when there are more, each warning is truncated. */
const MAX_RUNES = 4096;
const MAX_RUNES_EACH = 256;

/**
 * The values of `Warning` headers for these texts, in order. When all texts together are too long, each is truncated to 256 runes, and
 * those that still do not fit are left out, as are texts with control characters.
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

/** The texts up to `index` are truncated and always included; those after it only while there is room. */
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

/** Headers are bytes: non-ASCII text is sent as UTF-8, as one character per byte. */
function headerValue(text: string): string {
  const quoted = `299 - "${text.replace(/["\\]/g, '\\$&')}"`;
  return Buffer.from(quoted, 'utf8').toString('latin1');
}
