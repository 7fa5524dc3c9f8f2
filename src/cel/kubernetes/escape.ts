import { reservedWords } from '../syntax/operators.ts';

const ESCAPES: Readonly<Record<string, string>> = {
  __: '__underscores__',
  '.': '__dot__',
  '-': '__dash__',
  '/': '__slash__',
};
const UNESCAPES: Readonly<Record<string, string>> = { underscores: '__', dot: '.', dash: '-', slash: '/' };

/** The name of a property in expressions; undefined when it cannot be used there. */
export function escapeName(name: string): string | undefined {
  if (!/^[A-Za-z_./-][A-Za-z0-9_./-]*$/.test(name)) return undefined;
  if (reservedWords.has(name)) return `__${name}__`;
  return name.replaceAll(/__|[-./]/g, (found) => ESCAPES[found] as string);
}

/** The property behind a name in expressions; undefined when the name is not validly escaped. */
export function unescapeName(escaped: string): string | undefined {
  let isFine = true;
  const name = escaped.replaceAll(/__([^_]+)__/g, (whole, inner: string) => {
    const plain = UNESCAPES[inner];
    if (plain !== undefined) return plain;
    if (!reservedWords.has(inner) || whole.length !== escaped.length) isFine = false;
    return inner;
  });
  return isFine ? name : undefined;
}
