import { compareUtf8 } from '../../base/index.ts';
import { isPlainObject, type PlainObject, setOwn } from '../json/plain-object.ts';

/** The objects that a patch has accessed, by member name. */
export interface Touched {
  readonly [name: string]: Touched | undefined;
}

/**
 * The value with the members of all accessed objects sorted by name: Kubernetes keeps other objects as text, and so in
 * their order. This affects how patched objects are quoted, and which problem is found first.
 */
export function inTouchedOrder(value: unknown, touched: Touched): unknown {
  if (Array.isArray(value)) {
    return value.map((item, index) => below(item, touched, String(index)));
  }
  if (!isPlainObject(value)) return value;
  const result: PlainObject = {};
  for (const name of Object.keys(value).sort(compareUtf8)) setOwn(result, name, below(value[name], touched, name));
  return result;
}

function below(value: unknown, touched: Touched, name: string): unknown {
  const inside = Object.hasOwn(touched, name) ? touched[name] : undefined;
  return isPlainObject(inside) ? inTouchedOrder(value, inside) : value;
}

/** The objects that a JSON patch accesses along its pointers. */
export function touchedBy(pointers: readonly string[]): Touched {
  const root = nothing();
  for (const pointer of pointers) {
    let at = root;
    for (const step of pointer.split('/').slice(1, -1))
      at = at[step.replaceAll('~1', '/').replaceAll('~0', '~')] ??= nothing();
  }
  return root;
}

interface OpenTouched extends Touched {
  [name: string]: OpenTouched | undefined;
}

/** Without a prototype, because pointers may contain any name. */
function nothing(): OpenTouched {
  return Object.create(null) as OpenTouched;
}
