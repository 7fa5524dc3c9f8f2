/** What a test runner calls when all tests of a file, or of a group, are over: `afterAll` in vitest and jest, `after` in node:test. */
export interface RunnerHooks {
  readonly afterAll?: (end: () => Promise<void>) => unknown;
  readonly after?: (end: () => Promise<void>) => unknown;
}

type EndHook = (end: () => Promise<void>) => unknown;

/** The hook of the runner: of what is given, of what it has made global, or of Node's own runner. */
export function endHookOf(
  given: RunnerHooks | undefined,
  environment: Readonly<Record<string, string | undefined>>,
): EndHook {
  const own = given?.afterAll ?? given?.after;
  if (own !== undefined) return own;
  if (given !== undefined) throw new Error('Cannot use these hooks: there is no afterAll and no after among them');
  const { afterAll } = globalThis as RunnerHooks;
  if (typeof afterAll === 'function') return afterAll;
  if (environment['VITEST'] !== undefined)
    throw new Error("Cannot find vitest's hooks: pass them, as in testCluster(options, { afterAll })");
  const { after } = process.getBuiltinModule('node:test');
  return after;
}
