import type { Toleration } from '../../api/types/core/v1.d.ts';

/**
 * Both lists in order, without those that another one covers; of two that are equal the first stays.
 *
 * A pod may have as many tolerations as fit into its bytes, so each is looked up among those that could cover it instead of
 * being compared with all of them.
 */
export function mergeTolerations(first: readonly Toleration[], second: readonly Toleration[]): Toleration[] {
  const all = distinct([...first, ...second]);
  const later = new Cover();
  const isCoveredLater = new Set<Toleration>();
  for (const toleration of all.toReversed()) {
    if (later.has(toleration)) isCoveredLater.add(toleration);
    later.add(toleration);
  }
  const earlier = new Cover();
  return all.filter((toleration) => {
    if (isCoveredLater.has(toleration) || earlier.has(toleration)) return false;
    earlier.add(toleration);
    return true;
  });
}

function distinct(tolerations: readonly Toleration[]): Toleration[] {
  const byText = new Map<string, Toleration>();
  for (const toleration of tolerations) {
    const { key, operator, value, effect, tolerationSeconds } = toleration;
    const text = JSON.stringify([key, operator, value, effect, tolerationSeconds].map((part) => part ?? []));
    if (!byText.has(text)) byText.set(text, toleration);
  }
  return [...byText.values()];
}

/** Stands for all keys and for all values. */
const ANY: unique symbol = Symbol('any');
type Matched = string | undefined | typeof ANY;

/** What some tolerations tolerate together, by key, effect and value: for how many seconds. */
class Cover {
  readonly #seconds = new Map<string, number>();

  add(wide: Toleration): void {
    const { key, effect, operator = '', value = '', tolerationSeconds = Infinity } = wide;
    if (operator !== 'Exists' && operator !== 'Equal' && operator !== '') return;
    const values = operator === 'Exists' ? ANY : value;
    const seconds = effect === 'NoExecute' ? tolerationSeconds : Infinity;
    this.#extend(nameOf(key, effect, values), seconds);
    if (values === ANY && (key ?? '') === '') this.#extend(nameOf(ANY, effect, values), seconds);
  }

  /** Whether one of them tolerates everything that `narrow` does. */
  has(narrow: Toleration): boolean {
    const { key, effect, operator, value = '', tolerationSeconds = Infinity } = narrow;
    const values: readonly Matched[] = operator === 'Equal' ? [ANY, value] : [ANY];
    const keys: readonly Matched[] = [key, ANY];
    return keys.some((named) =>
      [effect, '', undefined].some((effects) =>
        values.some(
          (matched) => (this.#seconds.get(nameOf(named, effects, matched)) ?? -Infinity) >= tolerationSeconds,
        ),
      ),
    );
  }

  #extend(name: string, seconds: number): void {
    this.#seconds.set(name, Math.max(this.#seconds.get(name) ?? -Infinity, seconds));
  }
}

function nameOf(...parts: readonly Matched[]): string {
  return JSON.stringify(parts.map((part) => (part === ANY ? 0 : (part ?? 1))));
}
