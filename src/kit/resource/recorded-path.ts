/** A path into an object: names of fields, and indexes in lists. */
export type FieldPath = readonly (string | number)[];

/** T with every field required at any depth, so that a path can be written without optional chaining. */
export type AllFields<T> = T extends readonly (infer Item)[]
  ? readonly AllFields<NonNullable<Item>>[]
  : T extends object
    ? { readonly [Name in keyof T]-?: AllFields<NonNullable<T[Name]>> }
    : T;

/** A path to a field of T: `(cache) => cache.status.ready`, or the JSONPath `.status.ready`. */
export type PathTo<T> = string | ((object: AllFields<T>) => unknown);

/** The path of the field that a function reads: calls it once with a proxy that records the access. */
export function recordPath(read: (object: never) => unknown, purpose: string): FieldPath {
  const paths = new WeakMap<object, FieldPath>();
  const at = (path: FieldPath): object => {
    const place = new Proxy(Object.create(null) as object, {
      get(_target, name) {
        if (typeof name === 'symbol') throw new Error(`Cannot use ${purpose}: it must lead to a field and do no more`);
        return at([...path, /^\d+$/.test(name) ? Number(name) : name]);
      },
    });
    paths.set(place, path);
    return place;
  };
  const found = read(at([]) as never);
  const path = typeof found === 'object' && found !== null ? paths.get(found) : undefined;
  if (path === undefined || path.length === 0)
    throw new Error(`Cannot use ${purpose}: it must lead to a field, as (object) => object.spec.size does`);
  return path;
}

/** The path as JSONPath: `.spec.ports[0].name`, `.metadata.annotations['a\.b']`. */
export function jsonPathOf(path: FieldPath): string {
  return path.map((step) => (typeof step === 'number' ? `[${step}]` : fieldStep(step))).join('');
}

function fieldStep(name: string): string {
  return /^[\w-]+$/.test(name) ? `.${name}` : `['${name.replaceAll('.', String.raw`\.`)}']`;
}
