/** Collects elements, so that one which is removed by one pod and added by another stays. */
export class ElementChanges {
  readonly #removed = new Map<string, Set<string>>();
  readonly #added = new Map<string, Set<string>>();

  remove(name: string, element: string): void {
    of(this.#removed, name).add(element);
  }

  add(name: string, element: string): void {
    of(this.#added, name).add(element);
  }

  removed(): readonly [name: string, elements: readonly string[]][] {
    return without(this.#removed, this.#added, (element) => element.split(' : ')[0] ?? '');
  }

  added(): readonly [name: string, elements: readonly string[]][] {
    return without(this.#added, this.#removed, (element) => element);
  }
}

function of(sets: Map<string, Set<string>>, name: string): Set<string> {
  const known = sets.get(name) ?? new Set();
  sets.set(name, known);
  return known;
}

function without(
  these: ReadonlyMap<string, ReadonlySet<string>>,
  others: ReadonlyMap<string, ReadonlySet<string>>,
  text: (element: string) => string,
): readonly [name: string, elements: readonly string[]][] {
  return [...these].map(([name, elements]) => [
    name,
    [...elements].filter((element) => others.get(name)?.has(element) !== true).map(text),
  ]);
}
