import type { Toleration } from '../../api/types/core/v1.d.ts';

/**
 * Both lists in order, without tolerations that another one covers; of equal ones the first stays.
 *
 * The number of a pod's tolerations is only limited by its size, so each is looked up among those that could cover it
 * instead of being compared with all.
 */
export function mergeTolerations(first: readonly Toleration[], second: readonly Toleration[]): Toleration[] {
  const all = [...first, ...second];
  const later = new Cover();
  const isCoveredLater = all.map(() => false);
  for (const [index, toleration] of [...all.entries()].toReversed()) {
    isCoveredLater[index] = later.hasOther(toleration);
    later.add(toleration);
  }
  const earlier = new Cover();
  const merged = new Map<string, Toleration>();
  for (const [index, toleration] of all.entries()) {
    const text = textOf(toleration);
    if (isCoveredLater[index] || merged.has(text) || earlier.hasOther(toleration)) continue;
    earlier.add(toleration);
    merged.set(text, toleration);
  }
  return [...merged.values()];
}

/** Whether each toleration is in a list, or covered by one of it. */
export function isEachCovered(tolerations: readonly Toleration[], list: readonly Toleration[]): boolean {
  const cover = new Cover();
  const texts = new Set(list.map(textOf));
  for (const each of list) cover.add(each);
  return tolerations.every((toleration) => texts.has(textOf(toleration)) || cover.hasOther(toleration));
}

/** Equal for equal tolerations. */
function textOf({ key, operator, value, effect, tolerationSeconds }: Toleration): string {
  return [key, operator, value, effect].map((part) => partOf(part ?? '')).join('') + String(tolerationSeconds);
}

/** Stands for any key or value. */
const ANY: unique symbol = Symbol('any');
type Matched = string | typeof ANY;

interface Limit {
  readonly text: string;
  readonly seconds: number;
}

/** The combined coverage of some tolerations: seconds by key, effect and value. */
class Cover {
  /** The longest limit and the next longest of a different toleration, so that one of them always belongs to another. */
  readonly #limits = new Map<string, readonly Limit[]>();

  add(wide: Toleration): void {
    const { key = '', effect = '', operator = '', value = '', tolerationSeconds = Infinity } = wide;
    if (operator !== 'Exists' && operator !== 'Equal' && operator !== '') return;
    const values = operator === 'Exists' ? ANY : value;
    const limit = { text: textOf(wide), seconds: effect === 'NoExecute' ? tolerationSeconds : Infinity };
    this.#extend(nameOf(key, effect, values), limit);
    if (values === ANY && key === '') this.#extend(nameOf(ANY, effect, values), limit);
  }

  /** Whether one of them that differs from `narrow` covers it. */
  hasOther(narrow: Toleration): boolean {
    const { key = '', effect = '', operator, value = '', tolerationSeconds = Infinity } = narrow;
    const text = textOf(narrow);
    const values: readonly Matched[] = operator === 'Equal' ? [ANY, value] : [ANY];
    const keys: readonly Matched[] = [key, ANY];
    const isFar = (limit: Limit): boolean => limit.text !== text && limit.seconds >= tolerationSeconds;
    const effects = effect === '' ? [''] : [effect, ''];
    return effects.some((one) =>
      keys.some((named) => values.some((matched) => this.#limits.get(nameOf(named, one, matched))?.some(isFar))),
    );
  }

  #extend(name: string, limit: Limit): void {
    const others = (this.#limits.get(name) ?? []).filter(({ text }) => text !== limit.text);
    this.#limits.set(name, [...others, limit].toSorted((a, b) => b.seconds - a.seconds).slice(0, 2));
  }
}

function nameOf(key: Matched, effect: string, value: Matched): string {
  return `${partOf(key)}${partOf(effect)}${partOf(value)}`;
}

function partOf(part: Matched): string {
  return part === ANY ? '*' : `${part.length}:${part}`;
}
