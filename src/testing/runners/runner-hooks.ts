/**
 * The hook of a test runner that runs after all tests of a file or group: `afterAll` in vitest and jest, `after` in
 * node:test.
 */
export interface RunnerHooks {
  readonly afterAll?: (end: () => Promise<void>) => unknown;
  readonly after?: (end: () => Promise<void>) => unknown;
}

type EndHook = (end: () => Promise<void>) => unknown;

/** The runner's hook: given, global, or of node:test. */
export function endHookOf(
  given: RunnerHooks | undefined,
  environment: Readonly<Record<string, string | undefined>>,
): EndHook {
  const own = given?.afterAll ?? given?.after;
  if (own !== undefined) return own;
  if (given !== undefined) throw new Error('Cannot use these hooks: they have neither afterAll nor after');
  const { afterAll } = globalThis as RunnerHooks;
  if (typeof afterAll === 'function') return afterAll;
  if (environment['VITEST'] !== undefined)
    throw new Error("Cannot find vitest's hooks: pass them, as in testCluster(options, { afterAll })");
  const { after } = process.getBuiltinModule('node:test');
  return after;
}
