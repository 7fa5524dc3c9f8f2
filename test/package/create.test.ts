import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { requires } from '../../src/base/testing/requires.ts';
import { findKubectl, Kubectl } from '../support/kubectl.ts';
import { compilers, type Finished, InstalledPackage, pack, root } from './installed-package.ts';

/** A program whose output is read while it runs. */
class Program implements AsyncDisposable {
  readonly #child: ChildProcess;
  readonly #lines: AsyncIterator<string>;
  readonly #output: string[] = [];
  readonly ended: Promise<unknown[]>;

  constructor(folder: string, command: string, args: readonly string[], env: Readonly<Record<string, string>> = {}) {
    const shell = [command, ...args].map((word) => `'${word}'`).join(' ');
    const options = { cwd: folder, env: { ...process.env, ...env }, stdio: ['ignore', 'pipe', 'inherit'] as const };
    this.#child = spawn('sh', ['-c', `exec ${shell} 2>&1`], { ...options, stdio: [...options.stdio] });
    this.ended = once(this.#child, 'exit');
    if (this.#child.stdout === null) throw new Error('Unreachable: the output is a pipe');
    this.#lines = createInterface(this.#child.stdout)[Symbol.asyncIterator]();
  }

  /** Reads on until a line matches. */
  async until(pattern: RegExp): Promise<RegExpExecArray> {
    for (;;) {
      const { done = false, value } = await this.#lines.next();
      if (done) throw new Error(`Cannot find ${String(pattern)} in:\n${this.#output.join('\n')}`);
      this.#output.push(value);
      const match = pattern.exec(value);
      if (match !== null) return match;
    }
  }

  async stop(): Promise<unknown> {
    this.#child.kill('SIGINT');
    return (await this.ended)[0];
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#child.kill('SIGKILL');
    await this.ended;
  }
}

describe('create-keelson, packed', () => {
  let project: InstalledPackage;
  let shop = '';
  let tarball = '';
  const create = (...args: readonly string[]): Promise<Finished> =>
    project.run('npm', 'exec', '--yes', '--offline', `--package=${tarball}`, '--', 'create-keelson', ...args);

  beforeAll(async () => {
    project = await InstalledPackage.make();
    const bin = join(project.folder, 'node_modules', '.bin');
    await symlink(join(root, 'node_modules', 'vitest', 'vitest.mjs'), join(bin, 'vitest'));
    tarball = await pack(project.folder, join(root, 'create'));
    shop = join(project.folder, 'shop');
  });
  afterAll(() => project?.[Symbol.asyncDispose]());

  test('has the version of keelson', async () => {
    const versions = [root, join(root, 'create')].map(async (folder) => {
      const { version } = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8')) as { version: string };
      return version;
    });
    expect(await versions[0]).toBe(await versions[1]);
  });

  test('makes a project whose test is green', async () => {
    const made = await create('shop');
    expect(made).toMatchObject({ code: 0, output: expect.stringContaining('cd shop\n  npm install\n  npm test') });
    expect((await readdir(shop)).sort()).toEqual([
      '.gitignore',
      'main.ts',
      'package.json',
      'tsconfig.json',
      'website.test.ts',
      'website.ts',
    ]);
    const tested = await project.run('npm', 'test', '--prefix', shop);
    expect(tested.output).toContain('2 passed');
    expect(tested.code).toBe(0);
    const compiled = await project.run(process.execPath, compilers['TypeScript 7'], '-p', shop);
    expect(compiled).toEqual({ code: 0, output: '' });
  });

  test('refuses what would do harm, and names that nothing can have', async () => {
    expect(await create('shop')).toMatchObject({
      code: 2,
      output: expect.stringMatching(/"shop" is not empty: it has/),
    });
    expect(await create('My_Shop')).toMatchObject({
      code: 2,
      output: expect.stringContaining('cannot name a project'),
    });
    expect(await create('--template=x')).toMatchObject({ code: 2, output: expect.stringContaining('unknown flag') });
    expect(await create('a', 'b')).toMatchObject({ code: 2, output: expect.stringContaining('one name may be given') });
  });

  test('keelson dev reloads the app when a file is saved, and keeps the cluster', requires('kubectl'), async () => {
    const kubeconfig = join(project.folder, 'dev-kubeconfig');
    const keelson = join(project.folder, 'node_modules', '.bin', 'keelson');
    await using dev = new Program(shop, keelson, ['dev', `--kubeconfig-out=${kubeconfig}`]);
    await dev.until(/^cluster ready at https:/);
    await dev.until(/^shop loaded from main\.ts/);
    await dev.until(/ write +apply customresourcedefinitions websites\.example\.com: 201 /);
    const kubectl = new Kubectl(findKubectl() ?? '', kubeconfig);
    await kubectl.create(website('a', 2));
    await dev.until(/ write +apply deployments default\/a: 201 after [\d.]+ ms by websites default\/a$/);
    await dev.until(
      / reconcile +websites default\/a: done after [\d.]+ ms, 3 writes because Website default\/a added$/,
    );
    await dev.until(/ event +Normal Ready of Website default\/a: "2 of 2 are up": 201/);

    const source = join(shop, 'website.ts');
    const good = await readFile(source, 'utf8');
    await writeFile(source, `${good}\nconst broken: = 1;\n`);
    await dev.until(/website\.ts:\d+(?::\d+: ERROR|$)/); // of esbuild, or of Node.js from 22.18 on
    await dev.until(/the cluster keeps running/);
    expect(await kubectl.output('get', 'websites')).toMatch(/^a +nginx:1\.29 +2$/m);

    await writeFile(
      source,
      good.replace('    const labels', "    if (name === 'b') throw new Error('no b');\n    const labels"),
    );
    await dev.until(/^shop loaded from main\.ts/);
    await kubectl.create(website('b', 1));
    await dev.until(/ reconcile +websites default\/b: failed after [\d.]+ ms because Website default\/b added$/);
    await dev.until(/^Error: no b$/);
    await dev.until(/^ +at .*website\.ts:18:/);
    await writeFile(source, good);
    await dev.until(/ reconcile +websites default\/b: done /);
    expect(await dev.stop()).toBe(0);
  });

  test('keelson dev --deployed runs it in a pod, with its own account', requires('kubectl'), async () => {
    const kubeconfig = join(project.folder, 'deployed-kubeconfig');
    const keelson = join(project.folder, 'node_modules', '.bin', 'keelson');
    const home = { HOME: project.folder };
    await using dev = new Program(shop, keelson, ['dev', '--deployed', `--kubeconfig-out=${kubeconfig}`], home);
    await dev.until(/^shop deployed as system:serviceaccount:shop-system:shop/);
    await dev.until(/"app runs" app="shop"/);
    const kubectl = new Kubectl(findKubectl() ?? '', kubeconfig);
    await kubectl.create(website('a', 2));
    await expect.poll(() => kubectl.output('get', 'deployments')).toMatch(/^a +2\/2 /m);
    const pods = async (): Promise<string> => kubectl.output('get', 'pods', '-n', 'shop-system', '-o', 'name');
    const first = await pods();

    const source = join(shop, 'website.ts');
    const good = await readFile(source, 'utf8');
    await writeFile(source, `${good}\n`);
    await dev.until(/website\.ts has changed/);
    await dev.until(/^shop deployed as/);
    await dev.until(/"app runs" app="shop"/);
    await expect.poll(pods).not.toContain(first.trim());
    await writeFile(source, good);
    expect(await dev.stop()).toBe(0);
  });

  test(
    'keelson manifests deploys it, and the program runs with the rights it has there',
    requires('kubectl'),
    async () => {
      const keelson = join(project.folder, 'node_modules', '.bin', 'keelson');
      const kubeconfig = join(project.folder, 'up-kubeconfig');
      await using up = new Program(shop, keelson, ['up', '--in-memory', '--port=0', `--kubeconfig-out=${kubeconfig}`]);
      await up.until(/^ready at/);
      const deploy = join(shop, 'deploy');
      const made = await project.run(keelson, 'manifests', join(shop, 'main.ts'), '--out', deploy);
      expect(made.output).toContain('docker build -t shop:0.1.0');
      expect(await readFile(join(deploy, 'Dockerfile'), 'utf8')).toContain(
        'ENTRYPOINT ["node","--enable-source-maps","dist/main.js"]',
      );
      const kubectl = new Kubectl(findKubectl() ?? '', kubeconfig);
      await kubectl.output('apply', '-f', join(deploy, 'kubernetes'));
      await kubectl.output('rollout', 'status', 'deployment/shop', '-n', 'shop-system', '--timeout=120s');

      const token = (await kubectl.output('create', 'token', 'shop', '-n', 'shop-system')).trim();
      const config = JSON.parse(await kubectl.output('config', 'view', '--raw', '-o', 'json')) as object;
      const contexts = [
        { name: 'keelson', context: { cluster: 'keelson', user: 'keelson', namespace: 'shop-system' } },
      ];
      const account = { ...config, contexts, users: [{ name: 'keelson', user: { token } }] };
      await writeFile(`${kubeconfig}.shop`, JSON.stringify(account));
      const path = '{range .spec.template.spec.containers[0].env[*]}{.name}={.value}{"\\n"}{end}';
      const env = await kubectl.output('get', 'deployment', 'shop', '-n', 'shop-system', '-o', `jsonpath=${path}`);
      const set = Object.fromEntries(
        env
          .trim()
          .split('\n')
          .map((line) => line.split('=') as [string, string]),
      );
      await using program = new Program(shop, process.execPath, ['--enable-source-maps', 'dist/main.js'], {
        ...set,
        KEELSON_HEALTH_PORT: '0',
        KUBECONFIG: `${kubeconfig}.shop`,
      });
      await program.until(/"app runs"/);
      await kubectl.create(website('a', 2));
      await kubectl.output('wait', '--for=jsonpath={.status.ready}=2', 'website/a', '--timeout=120s');
      await kubectl.create(website('x'.repeat(64), 1)); // too long for a label
      await program.until(/"work failed, will be tried again" .*must be no more than 63/);
      await program.until(/^ +at .*shop\/website\.ts:2\d:/); // where it desires the Deployment
      expect(await program.stop()).toBe(0);
    },
  );
});

function website(name: string, replicas: number): string {
  return JSON.stringify({ apiVersion: 'example.com/v1', kind: 'Website', metadata: { name }, spec: { replicas } });
}
