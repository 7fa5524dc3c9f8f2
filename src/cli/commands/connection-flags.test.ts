import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { kubeconfigText } from '../../cluster/index.ts';
import { findServer } from './connection-flags.ts';

test('the current cluster of kubectl is found, but not for a program that changes the machine', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'keelson-connection-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const path = join(folder, 'config');
  const access = {
    name: 'here',
    server: 'https://127.0.0.1:1',
    certificateAuthority: 'CA',
    client: { certificate: 'C', privateKey: 'K' },
  };
  await writeFile(path, kubeconfigText(access));
  const environment = { KUBECONFIG: path };
  const nothing = { kubeconfig: undefined, server: undefined, pace: undefined };

  expect((await findServer(nothing, environment)).connection.server).toBe('https://127.0.0.1:1');
  await expect(findServer({ ...nothing, isNamed: true }, environment)).rejects.toThrow(
    '--kubeconfig is needed: this program does not follow the current cluster of kubectl',
  );
  const named = await findServer({ ...nothing, kubeconfig: path, isNamed: true }, {});
  expect(named.connection.server).toBe('https://127.0.0.1:1');
});
