import { jsonPatchBetween } from '../patch/json-patch-between.ts';

/** What writes change besides what they are for. */
const BOOKKEEPING = /^\/(metadata\/(managedFields|resourceVersion|generation)|status\/observedGeneration)(\/|$)/;
const MAX_FIELDS = 4;
const MAX_VALUE = 48;

/**
 * The fields that differ between two states of an object, in few words, such as `spec.replicas: 3 → 9`; at most four, and how many more there
 * are. Secrets must be blanked before.
 */
export function changedFields(before: object, after: object): readonly string[] {
  const operations = jsonPatchBetween(before, after)
    .filter(({ path }) => !BOOKKEEPING.test(path))
    .sort((left, right) => weightOf(left.path) - weightOf(right.path));
  const shown = operations.slice(0, MAX_FIELDS).map((operation) => {
    const names = operation.path.slice(1).split('/').map(unescaped);
    const field = fieldOf(after, names);
    if (operation.op === 'remove') return `${field} removed`;
    const value = wordsOf(operation.value);
    return operation.op === 'add' ? `${field}: ${value}` : `${field}: ${wordsOf(valueAt(before, names))} → ${value}`;
  });
  const more = operations.length - shown.length;
  return more === 0 ? shown : [...shown, `${more} more`];
}

/** What a client wants is said before what a controller has seen. */
function weightOf(path: string): number {
  return path.startsWith('/status/') ? 2 : path.startsWith('/metadata/') ? 1 : 0;
}

/** The field as people write it; elements of lists are called by their name or type where they have one: `conditions[Ready].status`. */
function fieldOf(root: unknown, names: readonly string[]): string {
  let text = '';
  let value: unknown = root;
  for (const name of names) {
    const isElement = Array.isArray(value);
    value = memberOf(value, name);
    if (isElement) text += `[${titleOf(value) ?? name}]`;
    else if (/^[\w-]+$/.test(name)) text += `${text === '' ? '' : '.'}${name}`;
    else text += `["${name}"]`;
  }
  return text;
}

function titleOf(element: unknown): string | undefined {
  const title = memberOf(element, 'name') ?? memberOf(element, 'type');
  return typeof title === 'string' ? title : undefined;
}

function valueAt(root: unknown, names: readonly string[]): unknown {
  let value = root;
  for (const name of names) value = memberOf(value, name);
  return value;
}

function memberOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, name)
    ? (value as Record<string, unknown>)[name]
    : undefined;
}

function wordsOf(value: unknown): string {
  if (Array.isArray(value)) return `[${value.length}]`;
  if (typeof value === 'object' && value !== null) return '{…}';
  const text = typeof value === 'string' && value !== '' ? value : (JSON.stringify(value) ?? 'nothing');
  return text.length > MAX_VALUE ? `${text.slice(0, MAX_VALUE)}…` : text;
}

function unescaped(name: string): string {
  return name.replaceAll('~1', '/').replaceAll('~0', '~');
}
