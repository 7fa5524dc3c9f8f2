import { execFile } from 'node:child_process';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

const run = promisify(execFile);
const root = join(import.meta.dirname, '../..');
let folder = '';

beforeAll(async () => {
  folder = await mkdtemp(join(root, 'node_modules', '.runners-'));
  const testing = { entryPoints: [join(root, 'src/testing/index.ts')], outfile: join(folder, 'testing.mjs') };
  await build({ ...testing, bundle: true, platform: 'node', format: 'esm', packages: 'external', target: 'node20' });
});
afterAll(() => rm(folder, { recursive: true }));

/** Tests for a runner: one passes, one fails. */
const suite = (runner: string, hooks: string) => `
import { testCluster } from ${JSON.stringify(`${folder}/testing.mjs`)};
${runner}
const clusterTest = testCluster({ controllers: false, scheduler: false, nodes: 0 }${hooks});
const create = ({ client }) => client.core.v1.configmaps.namespace('default').create({ metadata: { name: 'm' } });
test('passes', clusterTest(create));
test('fails', clusterTest(async (cluster) => {
  await create(cluster);
  await create(cluster);
}));
`;

/** What a runner says, and whether it was content. */
async function outcome(
  args: readonly string[],
  variables: Readonly<Record<string, string>> = {},
): Promise<{ readonly said: string; readonly isContent: boolean }> {
  const { NODE_TEST_CONTEXT: _, VITEST: __, ...environment } = process.env;
  const env = { ...environment, NO_COLOR: '1', ...variables };
  return run(process.execPath, args, { cwd: folder, env }).then(
    ({ stdout, stderr }) => ({ said: stdout + stderr, isContent: true }),
    (error: unknown) => {
      const { stdout, stderr } = error as { readonly stdout: string; readonly stderr: string };
      return { said: stdout + stderr, isContent: false };
    },
  );
}

const REPEAT = /To repeat the run of the test that has failed, set KEELSON_REPLAY='(\w+@[\dT:.Z-]+)'/;

describe('a test that fails says how to repeat its run', () => {
  test('under node:test', async () => {
    await writeFile(join(folder, 'node.test.mjs'), suite("import { test } from 'node:test';", ''));
    const { said, isContent } = await outcome(['--test', 'node.test.mjs'], { KEELSON_TRACE: join(folder, 'traces') });
    expect(isContent).toBe(false);
    expect(said).toMatch(/pass 1\b[^]*fail 1\b/);
    const replay = REPEAT.exec(said)?.[1] ?? '';
    const again = await outcome(['--test', 'node.test.mjs'], { KEELSON_REPLAY: replay });
    expect(REPEAT.exec(again.said)?.[1]).toBe(replay);
    expect((await readdir(join(folder, 'traces'))).map((name) => name.split('.').at(-1))).toEqual(['svg', 'txt']);
  });

  test('under vitest', async () => {
    const runner = "import { afterAll, test } from 'vitest';";
    await writeFile(join(folder, 'vitest.test.mjs'), suite(runner, ', { afterAll }'));
    const config = { test: { include: ['vitest.test.mjs'], exclude: [] } };
    await writeFile(join(folder, 'vitest.config.mjs'), `export default ${JSON.stringify(config)};`);
    const args = [join(root, 'node_modules/vitest/vitest.mjs'), 'run', '--root', folder];
    const { said, isContent } = await outcome(args);
    expect(isContent).toBe(false);
    expect(said).toMatch(/1 failed \| 1 passed/);
    expect(said).toMatch(REPEAT);
  });
});
