import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { copyFile, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { bundled } from '../../bench/kit/bundled.ts';
import { findDocuments, samplesIn } from '../../scripts/documents.ts';
import { requires } from '../../src/base/testing/requires.ts';
import { findKubectl, Kubectl } from '../support/kubectl.ts';
import { compilers, InstalledPackage, root } from './installed-package.ts';

const resolutions = {
  nodenext: { module: 'nodenext' },
  bundler: { module: 'esnext', moduleResolution: 'bundler', noEmit: true },
};

const GREETER_TEST = `
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { StatusError } from 'keelson';
import { startCluster } from 'keelson/testing';
import { greeter } from './greeter.js';
import { greets } from './greets.js';

await test('every pod is greeted', async () => {
  assert.equal(await greets(greeter), true);
});

await test('an error in a test cluster is one of the classes that the kit exports', async () => {
  await using cluster = await startCluster();
  await assert.rejects(cluster.client.core.v1.pods.namespace('default').get('missing'), StatusError);
});
`;

const EXPORTED_RESULTS = 'testdata/exported-results.ts';

/** The sample of the README that contains these words. */
async function fromReadme(words: string): Promise<string> {
  const samples = samplesIn(await readFile(join(root, 'README.md'), 'utf8'));
  const sample = samples.find(({ code }) => code.includes(words));
  if (sample === undefined) throw new Error(`README.md shows no TypeScript with "${words}"`);
  return sample.code;
}

/** A user's own kind. */
const CACHE = `
import { resource } from 'keelson';
import { z } from 'zod';
export const Cache = resource('cache.example.dev/v1', 'Cache', { spec: z.object({ size: z.int().min(1) }) });
`;

/** What is done with the types that were made of its definition. */
const USED = `
import { connect, controller } from 'keelson';
import { Cache } from './kinds.js';
await using client = await connect();
const { spec } = await client.kind(Cache).namespace('default').get('a');
export const size: number = spec.size;
export const caches = controller(Cache, { reconcile: (cache) => console.log(cache.spec.size) });
`;

/** Nothing answers where this looks for its cluster. */
const AWAY = `
import { app, controller, Node, Pod, run } from 'keelson';
const parts = [Pod, Node].map((kind) => controller(kind, { reconcile: async () => undefined }));
void run(app('patient', parts), { kubeconfig: 'away-config' });
`;

/** Programs as others write them, and what bundles of them may be. */
const PROGRAMS = {
  'a controller': {
    text: `import { app, controller, Pod, run } from 'keelson';
      await run(app('a', [controller(Pod, { reconcile: () => undefined })]));`,
    limits: { loadedKb: 150, wholeKb: 200, forPodsKb: 150 },
  },
  'an operator with a kind of its own': {
    text: `import { app, controller, resource, run } from 'keelson';
      const Cache = resource('cache.example.dev/v1', 'Cache', { spec: { type: 'object' } });
      await run(app('a', [controller(Cache, { reconcile: () => undefined })], { resources: [Cache] }));`,
    limits: { loadedKb: 190, wholeKb: 240, forPodsKb: 190 },
  },
  'a webhook': {
    text: `import { admission, app, extensionServer, Pod, run } from 'keelson';
      await run(app('a', [], { server: extensionServer({ admission: [admission(Pod, {})] }) }));`,
    limits: { loadedKb: 190, wholeKb: 240, forPodsKb: 190 },
  },
};

const CONNECTING = `
import { findConnection } from 'keelson/client';
await findConnection().then(({ server }) => console.log(server), ({ message }) => console.log(message));
`;

const KUBECONFIG = `
clusters: [{ name: a, cluster: { server: 'https://a.test' } }]
contexts: [{ name: a, context: { cluster: a, user: a } }]
users: [{ name: a, user: { token: t } }]
current-context: a
`;

/** What only some programs need is found when they do. */
const BUNDLED = `
import { resource } from 'keelson';
import { parseKubeconfig } from 'keelson/client';
const Cache = resource('cache.example.dev/v1', 'Cache', {
  spec: { type: 'object', properties: { size: { type: 'integer', minimum: 1 } } },
});
async function main() {
  const { clusters } = await parseKubeconfig('clusters:\\n- name: a\\n  cluster: {server: https://a.test}\\n', 'config');
  const errors = await Cache.validate({ metadata: { name: 'a' }, spec: { size: 0 } });
  console.log(clusters.get('a').server, errors.length);
}
main();
`;

describe('the package, packed and installed', () => {
  let project: InstalledPackage;
  const program = (name: string): string => join(root, 'node_modules', '.bin', name);

  beforeAll(async () => {
    project = await InstalledPackage.make();
    await project.write('src/greeter.ts', await fromReadme('export const greeter'));
    await project.write('src/greets.ts', await fromReadme('export async function greets'));
    await project.write('src/greeter-test.ts', GREETER_TEST);
    await project.write('src/exported-results.ts', await readFile(join(import.meta.dirname, EXPORTED_RESULTS), 'utf8'));
    const imports = (await project.doors()).map(({ name, hasCode }, index) =>
      hasCode
        ? `import * as door${index} from '${name}'; console.log('${name}', Object.keys(door${index}).length);`
        : `import type * as door${index} from '${name}'; export type Door${index} = keyof typeof door${index};`,
    );
    await project.write('src/doors.ts', imports.join('\n'));
  });
  afterAll(() => project?.[Symbol.asyncDispose]());

  test('has what belongs in a package, and no tests or sources', async () => {
    const { output } = await project.run('tar', '-tzf', project.tarball);
    const files = output.trim().split('\n');

    expect(files).toEqual(
      expect.arrayContaining(['README.md', 'LICENSE', 'CHANGELOG.md'].map((name) => `package/${name}`)),
    );
    expect(files.filter((name) => /\.test\.|\/src\/|\.map$|(?<!\.d)\.ts$/.test(name))).toEqual([]);
  });

  test.each([
    ['TypeScript 7', 'nodenext'],
    ['TypeScript 7', 'bundler'],
    ['TypeScript 5', 'nodenext'], // with "bundler", @arethetypeswrong/cli looks at the types with the same TypeScript
  ] as const)(
    '%s compiles an operator, its test and exports of all results, strictly and with declaration files, with the resolution "%s"',
    async (version, resolution) => {
      const strict = { strict: true, exactOptionalPropertyTypes: true, noUncheckedIndexedAccess: true };
      const options = {
        ...strict,
        target: 'es2022',
        declaration: true,
        rootDir: 'src',
        outDir: 'out',
        ...resolutions[resolution],
      };
      const config = `tsconfig.${resolution}.json`;
      await project.write(config, JSON.stringify({ compilerOptions: options, include: ['src'] }));

      expect(await project.run(process.execPath, compilers[version], '-p', config)).toEqual({ code: 0, output: '' });
    },
  );

  test('runs the operator in node:test', async () => {
    const { code, output } = await project.run(
      process.execPath,
      '--test',
      '--test-reporter=tap',
      'out/greeter-test.js',
    );

    expect(output).toContain('# pass 2');
    expect(code).toBe(0);
  });

  test('can be imported by every door', async () => {
    const { code, output } = await project.run(process.execPath, 'out/doors.js');

    expect(output).not.toMatch(/ 0$/m);
    expect(output.trim().split('\n')).toHaveLength((await project.doors()).filter(({ hasCode }) => hasCode).length);
    expect(code).toBe(0);
  });

  test.each(['esm', 'cjs'])(
    'lends itself to bundles of others (%s), which have no more than they use',
    async (format) => {
      await project.write(
        'one.js',
        "import { keyOf } from 'keelson'; console.log(keyOf({ metadata: { name: 'a' } }));",
      );
      const out = `one.${format === 'esm' ? 'mjs' : 'cjs'}`;
      const flags = ['--bundle', '--minify', '--platform=node', `--format=${format}`, '--log-level=error'];
      const bundled = await project.run(program('esbuild'), 'one.js', ...flags, `--outfile=${out}`);

      expect(bundled).toEqual({ code: 0, output: '' });
      expect(await project.run(process.execPath, out)).toEqual({ code: 0, output: 'a\n' });
      expect((await readFile(join(project.folder, out))).length).toBeLessThan(20_000);
    },
  );

  test.each(Object.entries(PROGRAMS))('stays within the size limit of %s, bundled', async (_, { text, limits }) => {
    const { loadedKb, wholeKb, forPodsKb } = await bundled(text, project.folder);

    expect(loadedKb).toBeLessThan(limits.loadedKb);
    expect(wholeKb).toBeLessThan(limits.wholeKb);
    expect(forPodsKb).toBeLessThan(limits.forPodsKb);
  });

  test.each(['esm', 'cjs'])('a bundled program (%s) reads YAML, and checks as a server does', async (format) => {
    await project.write('bundled.js', BUNDLED);
    const out = `bundled.${format === 'esm' ? 'mjs' : 'cjs'}`;
    const flags = ['--bundle', '--minify', '--platform=node', `--format=${format}`, '--log-level=error'];
    expect(await project.run(program('esbuild'), 'bundled.js', ...flags, `--outfile=${out}`)).toEqual({
      code: 0,
      output: '',
    });

    expect(await project.run(process.execPath, out)).toEqual({ code: 0, output: 'https://a.test 1\n' });
    const alone = await mkdtemp(join(tmpdir(), 'keelson-bundle-'));
    await copyFile(join(project.folder, out), join(alone, out));
    const { output } = await project.run(process.execPath, join(alone, out));
    await rm(alone, { recursive: true });
    expect(output).toContain('Cannot check as a server does: bundles leave that code out, and "keelson/checks"');
  });

  test('a bundle for pods reads no kubeconfig unless the package is beside it', async () => {
    await project.write('for-pods.js', CONNECTING);
    const flags = ['--bundle', '--minify', '--platform=node', '--format=esm', '--external:keelson/kubeconfig'];
    await project.run(program('esbuild'), 'for-pods.js', ...flags, '--log-level=error', '--outfile=for-pods.mjs');
    await project.write('config', KUBECONFIG);
    const withConfig = (path: string): Promise<{ code: number; output: string }> =>
      project.run('env', `KUBECONFIG=${join(project.folder, 'config')}`, process.execPath, path);

    expect((await withConfig('for-pods.mjs')).output).toBe('https://a.test\n');
    const alone = await mkdtemp(join(tmpdir(), 'keelson-bundle-'));
    await copyFile(join(project.folder, 'for-pods.mjs'), join(alone, 'for-pods.mjs'));
    expect((await withConfig(join(alone, 'for-pods.mjs'))).output).toMatch(
      /^Cannot read a kubeconfig: "keelson\/kubeconfig" is neither in this bundle nor installed beside it/,
    );
    const nowhere = await project.run('env', 'KUBECONFIG=missing', process.execPath, join(alone, 'for-pods.mjs'));
    await rm(alone, { recursive: true });
    expect(nowhere.output).toMatch(/^Cannot find a cluster: there is no kubeconfig at "missing"/);
  });

  test('has everything that the README, the guides and the examples show', async () => {
    const places: string[] = [];
    for (const path of await findDocuments(root)) {
      for (const { line, code } of samplesIn(await readFile(path, 'utf8'))) {
        await project.write(`samples/sample-${places.length}.ts`, `${code}\nexport {};\n`);
        places.push(`${relative(root, path)}:${line}`);
      }
    }
    const compilerOptions = { strict: true, target: 'es2022', module: 'nodenext', noEmit: true, skipLibCheck: true };
    await project.write('samples/tsconfig.json', JSON.stringify({ compilerOptions, include: ['*.ts'] }));
    const { output } = await project.run(process.execPath, compilers['TypeScript 7'], '-p', 'samples');

    expect(output.replaceAll(/samples\/sample-(\d+)\.ts/g, (_, index: string) => places[Number(index)] ?? '')).toBe('');
    expect(places.length).toBeGreaterThan(20);
  });

  test('publint finds nothing', async () => {
    const { code, output } = await project.run(program('publint'), '--strict', project.tarball);

    expect(output).toContain('All good!');
    expect(code).toBe(0);
  });

  test('@arethetypeswrong/cli finds nothing', async () => {
    const typesOnly = (await project.doors()).filter(({ hasCode }) => !hasCode);
    const names = typesOnly.map(({ name }) => name.replace('keelson/', ''));
    const flags = ['--profile', 'esm-only', '--format', 'ascii', '--no-color', '--no-definitely-typed'];
    const { code, output } = await project.run(
      program('attw'),
      project.tarball,
      ...flags,
      '--include-entrypoints',
      ...names,
    );

    expect(code, output).toBe(0);
  });

  test('has a command', async () => {
    const { code, output } = await project.run(join('node_modules', '.bin', 'keelson'), 'version');

    expect(output).toMatch(/^keelson \d+\.\d+\.\d+\n/);
    expect(code).toBe(0);
  });

  test('prints the definition of a kind, and makes types of it that compile', async () => {
    await project.write('kinds/cache.ts', CACHE);
    await project.write('kinds/used.ts', USED);
    const keelson = join('node_modules', '.bin', 'keelson');
    const printed = await project.run(keelson, 'crd', 'print', 'kinds/cache.ts');
    expect(printed).toMatchObject({ code: 0, output: expect.stringContaining('name: caches.cache.example.dev') });
    await project.write('cache.yaml', printed.output);
    expect(await project.run(keelson, 'crd', 'check', 'cache.yaml')).toEqual({ code: 0, output: '' });
    expect(await project.run(keelson, 'types', 'cache.yaml', '--out', 'kinds/kinds.ts')).toEqual({
      code: 0,
      output: '',
    });

    // an earlier test has compiled the declarations of the package with the same TypeScript
    const compilerOptions = { strict: true, target: 'es2022', module: 'nodenext', noEmit: true, skipLibCheck: true };
    await project.write('kinds/tsconfig.json', JSON.stringify({ compilerOptions, include: ['*.ts'] }));
    const compiled = await project.run(process.execPath, compilers['TypeScript 5'], '-p', 'kinds');
    expect(compiled).toEqual({ code: 0, output: '' });
  });

  test('an operator survives while its server is away, logs that once, and ends on a signal', async ({ signal }) => {
    let calls = 0;
    await using server = createServer((socket) => {
      socket.destroy();
      calls += 1;
      if (calls === 4) server.emit('calledAgain');
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const calledAgain = once(server, 'calledAgain');
    const { port } = server.address() as AddressInfo;
    const cluster = { name: 'c', cluster: { server: `https://127.0.0.1:${port}` } };
    const context = { name: 'c', context: { cluster: 'c', user: 'u' } };
    const user = { name: 'u', user: { token: 't' } };
    const config = { 'current-context': 'c', clusters: [cluster], contexts: [context], users: [user] };
    await project.write('away-config', JSON.stringify(config));
    await project.write('away.mjs', AWAY);
    const operator = spawn(process.execPath, ['away.mjs'], { cwd: project.folder, signal });
    let output = '';
    operator.stderr.on('data', (chunk) => (output += chunk));
    const ended = once(operator, 'close');
    await Promise.race([calledAgain, ended]);
    operator.kill('SIGTERM');
    expect(await ended).toEqual([0, null]);
    expect(calls).toBeGreaterThanOrEqual(4);
    expect(output.match(/"[^"]*"(?= (?:app|server)=)/g)).toEqual([
      '"app runs"',
      '"API server cannot be reached"',
      '"app stopped"',
    ]);
    expect(output.trim().split('\n')).toHaveLength(3);
  });

  test('starts a cluster for kubectl', requires('kubectl'), async ({ signal }) => {
    const kubeconfig = join(project.folder, 'kubeconfig');
    const flags = ['--in-memory', '--port=0', `--kubeconfig-out=${kubeconfig}`];
    const cluster = spawn(join('node_modules', '.bin', 'keelson'), ['up', ...flags], { cwd: project.folder, signal });
    const exit = once(cluster, 'exit');
    try {
      for await (const line of createInterface(cluster.stdout)) if (line.startsWith('ready at')) break;

      expect(await new Kubectl(findKubectl() ?? '', kubeconfig).output('get', 'nodes')).toContain('keelson');
    } finally {
      cluster.kill('SIGINT');
    }
    expect(await exit).toEqual([0, null]);
  });
});
