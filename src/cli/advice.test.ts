import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { runProgram } from './program.ts';
import { adviceOn } from './advice.ts';

async function printedBy(args: readonly string[], env: Readonly<Record<string, string>>): Promise<string> {
  let text = '';
  const stream = { write: (more: string) => void (text += more) };
  await runProgram(args, { env, stdout: stream, stderr: stream, once: () => undefined });
  return text;
}

test('a port that is taken: by whom, and what to do', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'keelson-advice-'));
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  try {
    const env = { KEELSON_DATA_DIR: folder, KUBECONFIG: join(folder, 'config') };
    const printed = await printedBy(['up', '--in-memory', '--nodes=0', `--port=${port}`], env);
    const owner = process.platform === 'linux' ? `process ${process.pid} (` : 'another process';
    expect(printed).toContain(`keelson up: Cannot listen at 127.0.0.1:${port}: ${owner}`);
    expect(printed).toContain('--port N takes another port, --port 0 any that is free');
  } finally {
    server.close();
    await rm(folder, { recursive: true });
  }
});

test.each([
  [{ code: 'EROFS', path: '/home/me/.keelson' }, 'Cannot open store', '--data-dir DIR keeps the data elsewhere'],
  [
    { code: 'EACCES', path: '/home/me/.kube' },
    'Cannot write kubeconfig',
    '--kubeconfig-out FILE writes the kubeconfig',
  ],
])('a folder that may not be written: %j', async (system, message, hint) => {
  const advice = await adviceOn(new Error(message, { cause: Object.assign(new Error('no'), system) }), {});
  expect(advice?.message).toContain(`Cannot write "${system.path}": it `);
  expect(advice?.hint).toContain(hint);
  expect(await adviceOn(new Error('another'), {})).toBeUndefined();
});
