import { clone, deepEqual } from '../../base/index.ts';
import { JsonPatchError } from './json-patch-error.ts';
import { childOf, type Container, isContainer, ListContainer, ObjectContainer } from './json-patch-container.ts';

/** One operation as sent; as in Kubernetes, it is not validated before it is applied. */
export interface JsonPatchOperation {
  readonly op?: unknown;
  readonly path?: unknown;
  readonly from?: unknown;
  readonly value?: unknown;
}

/** Maximum size of the JSON that copies in one patch may add. */
const COPY_LIMIT_BYTES = 3 * 1024 * 1024;

/**
 * Applies an RFC 6902 patch with the semantics of Kubernetes' library: negative indexes count from the end, `replace` of an
 * absent member adds it, `test` of an absent member against an absent value passes. The messages are the library's too,
 * because clients see them.
 *
 * `document` is not changed; a patch applies whole or throws `JsonPatchError`.
 */
export function applyJsonPatch(document: unknown, operations: readonly (JsonPatchOperation | null)[]): unknown {
  const state: PatchState = { root: clone(document), copiedBytes: 0 };
  for (const operation of operations) apply(state, operation ?? {}); // null is an empty operation
  return state.root;
}

interface PatchState {
  root: unknown;
  copiedBytes: number;
}

function apply(state: PatchState, operation: JsonPatchOperation): void {
  switch (operation.op) {
    case 'add':
      return add(state, operation);
    case 'remove':
      return remove(state, operation);
    case 'replace':
      return replace(state, operation);
    case 'move':
      return move(state, operation);
    case 'test':
      return test(state, operation);
    case 'copy':
      return copy(state, operation);
    default:
      throw new JsonPatchError(`Unexpected kind: ${typeof operation.op === 'string' ? operation.op : 'unknown'}`);
  }
}

function add(state: PatchState, operation: JsonPatchOperation): void {
  const path = pathOf(operation, 'add operation failed to decode path: missing value');
  const place = find(state, path, `add operation does not apply: doc is missing path: "${path}": missing value`);
  within(`error in add for path: '${path}'`, () => place.container.add(place.key, valueOf(operation)));
}

function remove(state: PatchState, operation: JsonPatchOperation): void {
  const path = pathOf(operation, 'remove operation failed to decode path: missing value');
  const place = find(state, path, `remove operation does not apply: doc is missing path: "${path}": missing value`);
  within(`error in remove for path: '${path}'`, () => place.container.remove(place.key));
}

function replace(state: PatchState, operation: JsonPatchOperation): void {
  const missing = 'replace operation failed to decode path: operation missing path field: missing value';
  const path = pathOf(operation, missing);
  if (path === '') {
    if (!isContainer(operation.value))
      throw new JsonPatchError('replace operation value must be object or array: %!w(<nil>)');
    state.root = clone(operation.value);
    return;
  }
  const place = find(state, path, `replace operation does not apply: doc is missing path: ${path}: missing value`);
  try {
    place.container.get(place.key);
  } catch (cause) {
    throw new JsonPatchError(`replace operation does not apply: doc is missing key: ${path}: missing value`, { cause });
  }
  within(`error in remove for path: '${path}'`, () => place.container.set(place.key, valueOf(operation)));
}

function move(state: PatchState, operation: JsonPatchOperation): void {
  const from = fromOf(operation, 'move');
  const source = find(state, from, `move operation does not apply: doc is missing from path: ${from}: missing value`);
  const value = within(`error in move for path: '${source.key}'`, () => {
    const found = source.container.get(source.key);
    source.container.remove(source.key);
    return found;
  });
  const path = pathOf(operation, 'move operation failed to decode path: operation missing path field: missing value');
  const target = find(
    state,
    path,
    `move operation does not apply: doc is missing destination path: ${path}: missing value`,
  );
  within(`error in move for path: '${path}'`, () => target.container.add(target.key, value));
}

function copy(state: PatchState, operation: JsonPatchOperation): void {
  const from = fromOf(operation, 'copy');
  const source = find(state, from, `copy operation does not apply: doc is missing from path: ${from}: missing value`);
  const value = within(`error in copy for from: '${from}'`, () => source.container.get(source.key));
  const path = pathOf(operation, 'copy operation failed to decode path: missing value');
  const target = find(
    state,
    path,
    `copy operation does not apply: doc is missing destination path: ${path}: missing value`,
  );
  state.copiedBytes += Buffer.byteLength(JSON.stringify(value ?? null));
  if (state.copiedBytes > COPY_LIMIT_BYTES) {
    throw new JsonPatchError(
      `Unable to complete the copy, the accumulated size increase of copy is ${state.copiedBytes}, ` +
        `exceeding the limit ${COPY_LIMIT_BYTES}`,
    );
  }
  within('error while adding value during copy', () => target.container.add(target.key, clone(value)));
}

function test(state: PatchState, operation: JsonPatchOperation): void {
  const path = pathOf(operation, 'test operation failed to decode path: operation missing path field: missing value');
  const failure = (): never => {
    throw new JsonPatchError(`testing value ${path} failed: test failed`);
  };
  if (path === '') {
    if (!deepEqual(state.root, operation.value)) failure();
    return;
  }
  const place = find(state, path, `test operation does not apply: is missing path: ${path}: missing value`);
  const value = within(`error in test for path: '${path}'`, () => place.container.get(place.key));
  if (!deepEqual(value ?? null, operation.value ?? null)) failure();
}

interface Place {
  readonly container: Container;
  readonly key: string;
}

/** The container that the last step of a pointer refers into. */
function find(state: PatchState, pointer: string, problem: string): Place {
  const steps = pointer.split('/');
  if (steps.length < 2) throw new JsonPatchError(problem);
  let node: unknown = state.root;
  for (const step of steps.slice(1, -1)) {
    node = childOf(node, unescape(step));
    if (!isContainer(node)) throw new JsonPatchError(problem);
  }
  const container = Array.isArray(node)
    ? new ListContainer(node)
    : new ObjectContainer(node as Record<string, unknown>);
  return { container, key: unescape(steps.at(-1) ?? '') };
}

function unescape(step: string): string {
  return step.replaceAll('~1', '/').replaceAll('~0', '~');
}

function pathOf(operation: JsonPatchOperation, problem: string): string {
  if (typeof operation.path !== 'string') throw new JsonPatchError(problem);
  return operation.path;
}

function fromOf(operation: JsonPatchOperation, kind: string): string {
  if (typeof operation.from === 'string') return operation.from;
  throw new JsonPatchError(`${kind} operation failed to decode from: operation, missing from field: missing value`);
}

function valueOf(operation: JsonPatchOperation): unknown {
  return operation.value === undefined ? null : clone(operation.value);
}

function within<T>(context: string, action: () => T): T {
  try {
    return action();
  } catch (cause) {
    throw new JsonPatchError(`${context}: ${(cause as Error).message}`, { cause });
  }
}
