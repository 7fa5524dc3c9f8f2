/** One operation of a JSON patch (RFC 6902). */
export type PatchOperation =
  | { readonly op: 'add' | 'replace'; readonly path: string; readonly value: unknown }
  | { readonly op: 'remove'; readonly path: string };

/** The JSON patch that turns `before` into `after`. Lists whose length changes are replaced whole. */
export function jsonPatchBetween(before: unknown, after: unknown): readonly PatchOperation[] {
  const operations: PatchOperation[] = [];
  compare({ before, after, path: '' }, operations);
  return operations;
}

interface Pair {
  readonly before: unknown;
  readonly after: unknown;
  readonly path: string;
}

function compare({ before, after, path }: Pair, operations: PatchOperation[]): void {
  if (before === after) return;
  const isBothLists = Array.isArray(before) && Array.isArray(after) && before.length === after.length;
  if (isBothLists || (isMembers(before) && isMembers(after))) compareMembers({ before, after, path }, operations);
  else operations.push({ op: 'replace', path, value: after });
}

function compareMembers({ before, after, path }: Pair, operations: PatchOperation[]): void {
  const [old, current] = [before, after] as [Record<string, unknown>, Record<string, unknown>];
  for (const name of Object.keys(old)) {
    if (!Object.hasOwn(current, name) || current[name] === undefined)
      operations.push({ op: 'remove', path: below(path, name) });
  }
  for (const [name, value] of Object.entries(current)) {
    if (value === undefined || value === old[name]) continue;
    if (!Object.hasOwn(old, name)) operations.push({ op: 'add', path: below(path, name), value });
    else compare({ before: old[name], after: value, path: below(path, name) }, operations);
  }
}

function isMembers(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function below(path: string, name: string): string {
  return `${path}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`;
}
