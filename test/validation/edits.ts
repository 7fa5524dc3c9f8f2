export type Members = Readonly<Record<string, unknown>>;

/** A change at one place of an object: another value, or, without one, its removal. */
export interface Edit {
  readonly path: readonly (string | number)[];
  readonly value?: unknown;
}

/** The object with the edits applied in order; an edit whose place an earlier one took away does nothing. */
export function edited(object: Members, edits: readonly Edit[]): Members {
  const copy = structuredClone(object) as Record<string, unknown>;
  for (const edit of edits) apply(copy, edit);
  return copy;
}

function apply(object: Record<string, unknown>, { path, ...edit }: Edit): void {
  let at: unknown = object;
  for (const step of path.slice(0, -1)) at = isContainer(at) ? at[step] : undefined;
  const last = path.at(-1);
  if (!isContainer(at) || last === undefined) return;
  if (Array.isArray(at)) {
    if (typeof last !== 'number' || last > at.length) return;
    if ('value' in edit) at[last] = structuredClone(edit.value);
    else at.splice(last, 1);
  } else if ('value' in edit) at[last] = structuredClone(edit.value);
  else delete at[last];
}

function isContainer(value: unknown): value is Record<string | number, unknown> {
  return typeof value === 'object' && value !== null;
}
