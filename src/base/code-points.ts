/** The length of a text in code points; a lone surrogate counts as one. */
export function codePointCount(text: string): number {
  let count = text.length;
  for (let at = 0; at < text.length - 1; at++) {
    if ((text.charCodeAt(at) & 0xfc00) === 0xd800 && (text.charCodeAt(at + 1) & 0xfc00) === 0xdc00) {
      count -= 1;
      at += 1;
    }
  }
  return count;
}
