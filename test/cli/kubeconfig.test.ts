import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { load } from 'js-yaml';
import { connect } from 'keelson';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { runProgram } from '../../src/cli/program.ts';

const OTHER = `apiVersion: v1
kind: Config
current-context: mine
clusters: [{ name: mine, cluster: { server: 'https://mine' } }]
users: [{ name: mine, user: {} }]
contexts: [{ name: mine, context: { cluster: mine, user: mine } }]
`;

/** A command under way. */
interface Running {
  /** Resolves when it has printed a line that matches. */
  printed(pattern: RegExp): Promise<string>;
  stop(): Promise<number>;
}

describe('contexts of kubectl', () => {
  let folder = '';
  let path = '';
  const started: Running[] = [];
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'keelson-contexts-'));
    path = join(folder, 'config');
    await writeFile(path, OTHER, { mode: 0o600 });
  });
  afterEach(async () => {
    for (const running of started.splice(0)) await running.stop();
    await rm(folder, { recursive: true, force: true });
  });

  function keelson(...args: readonly string[]): Running {
    let out = '';
    let heard = (): void => undefined;
    const write = (text: string): void => {
      out += text;
      heard();
    };
    let interrupt = (): void => undefined;
    const ended = runProgram(args, {
      env: { KUBECONFIG: path, KEELSON_DATA_DIR: folder },
      stdout: { write },
      stderr: { write },
      once: (event, listener) => void (event === 'SIGINT' && (interrupt = listener)),
    });
    const running = {
      async printed(pattern: RegExp) {
        for (;;) {
          if (pattern.test(out)) return out;
          const next = new Promise<void>((resolve) => void (heard = resolve));
          const isOver = await Promise.race([next.then(() => false), ended.then(() => true)]);
          if (isOver && !pattern.test(out)) throw new Error(`it has ended, and printed:\n${out}`);
        }
      },
      stop() {
        interrupt();
        return ended;
      },
    };
    started.push(running);
    return running;
  }

  const up = (): Running =>
    keelson('up', '--in-memory', '--port=0', '--nodes=0', '--controllers=false', '--scheduler=none');
  const current = async (): Promise<string> =>
    (load(await readFile(path, 'utf8')) as { 'current-context': string })['current-context'];

  test('a second cluster gets a name of its own, and stopping gives back what was current', async () => {
    const first = up();
    await first.printed(/^ready .* context keelson$/m);
    const second = up();
    await second.printed(/^ready .* context keelson-2 \("keelson" is another cluster's\)$/m);
    expect(await current()).toBe('keelson-2');

    expect(await first.stop()).toBe(0);
    expect(await current()).toBe('keelson-2');
    expect(await second.stop()).toBe(0);
    expect(await second.printed(/kubectl is back at/)).toContain('kubectl is back at context mine');
    expect(load(await readFile(path, 'utf8'))).toEqual(load(OTHER));
  });

  test('keelson kubeconfig prints the access to a running cluster, and merges it again', async () => {
    expect(await keelson('kubeconfig').printed(/Cannot/)).toContain('none runs; `keelson up` starts one');

    const cluster = up();
    await cluster.printed(/^ready/m);
    const printed = await keelson('kubeconfig', '--name=keelson').printed(/client-key-data/);
    const alone = join(folder, 'alone');
    await writeFile(alone, printed, { mode: 0o600 });
    await using client = await connect({ kubeconfig: alone });
    expect((await client.core.v1.namespaces.list()).items.map(({ metadata }) => metadata.name)).toContain('default');

    await writeFile(path, (await readFile(path, 'utf8')).replace('current-context: keelson', 'current-context: mine'));
    await keelson('kubeconfig', '--merge').printed(/context keelson$/m); // the one that it has
    expect(await current()).toBe('keelson');
    await writeFile(path, OTHER, { mode: 0o600 });
    await keelson('kubeconfig', '--merge').printed(/context keelson$/m);
    expect(await current()).toBe('keelson');
    const elsewhere = join(folder, 'elsewhere');
    await keelson('kubeconfig', '--kubeconfig-out', elsewhere).printed(/context keelson$/m);
    expect(await keelson('kubeconfig', '--name=none').printed(/Cannot/)).toMatch(/these run:\n {2}keelson {2}https:/);

    await cluster.stop();
    expect(load(await readFile(path, 'utf8'))).toEqual(load(OTHER));
    expect(load(await readFile(elsewhere, 'utf8'))).toMatchObject({ 'current-context': '', contexts: [] });
    expect(await keelson('kubeconfig').printed(/Cannot/)).toContain('none runs');
  });
});
