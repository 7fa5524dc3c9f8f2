/** An integer with more digits than every JavaScript number holds exactly. */
const LONG_INTEGER = /[:[,]\s*-?\d{16}/;
const SCALARS = /"[^"\\]*(?:\\.[^"\\]*)*"|[-+.\w]+/g;
const MARKED = /^-?[1-9]\d{15,18}$/;
/** The beginning of strings that consist of the mark, which may be escaped. */
const MARKS = /"(?:#|\\u0023)+/g;

/**
 * Parses JSON. Integers beyond 2^53 are bigints if they fit 64 bits, so that an object that is read, changed and written
 * again keeps all digits.
 */
export function parseJson(text: string): unknown {
  if (!LONG_INTEGER.test(text)) return JSON.parse(text);
  let longest = 0;
  for (const [found] of text.matchAll(MARKS)) longest = Math.max(longest, found.length);
  const mark = '#'.repeat(longest + 1); // no string of the text begins with it
  const marked = text.replace(SCALARS, (found) => (MARKED.test(found) ? `"${mark}${found}"` : found));
  return JSON.parse(marked, (_, value: unknown) =>
    typeof value === 'string' && value.startsWith(mark) ? integer(value.slice(mark.length)) : value,
  );
}

function integer(digits: string): number | bigint {
  const exact = BigInt(digits);
  const near = Number(digits);
  return Number.isSafeInteger(near) || BigInt.asIntN(64, exact) !== exact ? near : exact;
}
