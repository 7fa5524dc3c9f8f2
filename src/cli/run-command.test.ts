import { describe, expect, test } from 'vitest';
import { runProgram } from './program.ts';

interface Answer {
  readonly code: number;
  readonly out: string;
  readonly error: string;
}

async function keelson(...args: readonly string[]): Promise<Answer> {
  let [out, error] = ['', ''];
  const code = await runProgram(args, {
    env: {},
    stdout: { write: (text) => void (out += text) },
    stderr: { write: (text) => void (error += text) },
    once: () => undefined,
  });
  return { code, out, error };
}

describe('the help of a command', () => {
  test.each([
    [
      ['help', 'up'],
      ['up', '--help'],
    ],
    [
      ['--help', 'up'],
      ['up', '--help'],
    ],
    [
      ['-h', 'store'],
      ['store', '-h'],
    ],
    [
      ['--help-all', 'up'],
      ['up', '--help-all'],
    ],
    [
      ['help', 'store', 'check'],
      ['store', '--help'],
    ],
  ])('keelson %j is keelson %j', async (said, same) => {
    const help = await keelson(...said);
    expect(help).toEqual(await keelson(...same));
    expect(help).toMatchObject({ code: 0, error: '', out: expect.stringMatching(/^Usage: keelson (up|store) /) });
  });

  test.each([[[]], [['help']], [['-h']], [['--help']], [['help', 'help']]])(
    'keelson %j lists the commands by what they are for',
    async (args) => {
      const { code, out } = await keelson(...args);
      expect(code).toBe(0);
      expect(out).toMatch(/^Run a cluster:\n {2}up +Start a cluster$/m);
    },
  );
});

describe('a command that does not exist', () => {
  test.each([
    ['upp', 'up'],
    ['kubconfig', 'kubeconfig'],
    ['manifest', 'manifests'],
    ['hlep', 'help'],
  ])('%s is taken for %s', async (name, nearest) => {
    const { code, out, error } = await keelson(name);
    expect([code, out]).toEqual([2, '']);
    expect(error).toMatch(`keelson: unknown command "${name}"; did you mean "${nearest}"?\n`);
    expect(error).toContain('Usage: keelson COMMAND');
  });

  test('is not taken for one that only other programs call, or for one that is very different', async () => {
    expect((await keelson('dev-ap')).error).toMatch(/^keelson: unknown command "dev-ap"\n/);
    expect((await keelson('help', 'frobnicate')).error).toMatch(/^keelson: unknown command "frobnicate"\n/);
  });
});

test.each([
  [['version', 'x'], 'keelson version: unexpected argument "x"'],
  [['version', '--short'], 'keelson version: unknown flag --short'],
  [['rbac', 'nope.ts'], 'keelson rbac: there is no file "nope.ts"'],
  [['crd', 'check', 'nope.ts'], 'keelson crd: there is no file "nope.ts"'],
])('keelson %j is refused, with the synopsis', async (args, message) => {
  const { code, error } = await keelson(...args);
  expect(code).toBe(2);
  expect(error).toMatch(`${message}\n\nUsage: keelson ${args[0] ?? ''}`);
});
