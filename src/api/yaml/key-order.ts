const LETTER = /^\p{L}$/u;
const DIGIT = /^\p{Nd}$/u;

/**
 * Compares keys as Go's YAML encoder sorts them: by character, letters after all else, runs of digits by their number.
 *
 * Example: `a-b` before `ab`, `a2` before `a10`.
 */
export function compareKeys(left: string, right: string): number {
  if (left === right) return 0;
  const a = [...left];
  const b = [...right];
  let at = 0;
  while (at < a.length && at < b.length && a[at] === b[at]) at += 1;
  const mine = a[at];
  const other = b[at];
  if (mine === undefined || other === undefined) return a.length - b.length;
  const isLetter = LETTER.test(mine);
  if (isLetter !== LETTER.test(other)) return isLetter ? 1 : -1;
  return (isLetter ? 0 : compareNumbers(a, b, at)) || codePoint(mine) - codePoint(other);
}

/** Where two keys begin to differ there may be numbers; if they differ in zeros, what stands before belongs to them. */
function compareNumbers(a: readonly string[], b: readonly string[], at: number): number {
  const lead = a[at] === '0' || b[at] === '0' ? leadBefore(a, at) : 0n;
  const mine = numberAt(a, at, lead);
  const other = numberAt(b, at, lead);
  if (mine.value !== other.value) return mine.value < other.value ? -1 : 1;
  return mine.end - other.end;
}

function leadBefore(characters: readonly string[], at: number): bigint {
  for (let index = at - 1; index >= 0 && DIGIT.test(characters[index] ?? ''); index--) {
    if (characters[index] !== '0') return 1n;
  }
  return 0n;
}

function numberAt(characters: readonly string[], at: number, lead: bigint): { readonly value: bigint; readonly end: number } {
  let value = lead;
  let end = at;
  for (; end < characters.length && DIGIT.test(characters[end] ?? ''); end++) {
    value = BigInt.asIntN(64, value * 10n + BigInt(codePoint(characters[end] ?? '0') - 0x30));
  }
  return { value, end };
}

function codePoint(character: string): number {
  return character.codePointAt(0) ?? 0;
}
