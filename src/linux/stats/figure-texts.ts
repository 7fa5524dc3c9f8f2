// How the kernel writes figures of cgroups.

/** A file of a controller by its name; empty where the kernel has no such file. */
export type ReadFigure = (controller: string, file: string) => Promise<string>;

/** Effectively no limit: the kernel rounds what it writes for none. */
const UNLIMITED = 2 ** 62;

/** Lines of a name and a number each: `pgfault 12`. */
export function namedFigures(text: string): ReadonlyMap<string, number> {
  const found = new Map<string, number>();
  for (const line of text.split('\n')) {
    const [name = '', value = ''] = line.split(' ');
    if (value !== '') found.set(name, Number(value));
  }
  return found;
}

/** 0 for a text without a number. */
export function figureOf(text: string): number {
  return Number(text) || 0;
}

/** A limit; 0 for none. */
export function limitOf(text: string): number {
  const limit = text === 'max' ? Infinity : figureOf(text);
  return limit >= UNLIMITED || limit < 0 ? 0 : limit;
}
