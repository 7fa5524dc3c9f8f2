import type { ObjectMeta } from '../../api/index.ts';

/** The newest of the classes that an annotation marks as default; of the same age, the first by name. */
export function newestDefault<T extends { readonly metadata?: Readonly<Partial<ObjectMeta>> }>(
  classes: readonly T[],
  annotations: readonly string[],
): T | undefined {
  const marked = classes.filter(({ metadata }) => annotations.some((key) => metadata?.annotations?.[key] === 'true'));
  let newest: T | undefined;
  for (const each of marked) if (newest === undefined || comesBefore(each, newest)) newest = each;
  return newest;
}

type Named = { readonly metadata?: Readonly<Partial<ObjectMeta>> };

function comesBefore(left: Named, right: Named): boolean {
  const [age, otherAge] = [createdAt(left), createdAt(right)];
  return age === otherAge ? (left.metadata?.name ?? '') < (right.metadata?.name ?? '') : age > otherAge;
}

function createdAt({ metadata }: Named): number {
  return Date.parse(metadata?.creationTimestamp ?? '') || 0;
}
