import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import { skipWhen } from '../base/testing/requires.ts';
import { canEnterNamespaces, enterNamespace } from './mount-namespace.ts';

const folder = await mkdtemp(join(tmpdir(), 'keelson-mounts-'));
const hasNamespaces = await canEnterNamespaces(folder);
const needsNamespaces = skipWhen(!hasNamespaces, 'no unprivileged user namespaces here');

test('volumes are at their paths, and the rest of the machine is where it was', needsNamespaces, async () => {
  onTestFinished(() => rm(folder, { recursive: true }));
  const [root, volume] = [join(folder, 'root'), join(folder, 'volume')];
  await mkdir(root);
  await mkdir(volume);
  await writeFile(join(volume, 'token'), 'secret');
  await writeFile(join(folder, 'hosts'), '127.0.0.1 localhost # mine\n');
  const mounts = [
    { source: join(folder, 'hosts'), path: '/etc/hosts' },
    { source: volume, path: '/var/run/secrets/kubernetes.io/serviceaccount' },
    { source: volume, path: '/etc/app/config' },
    { source: volume, path: '/only-here' },
  ];
  const script = `
    cat /var/run/secrets/kubernetes.io/serviceaccount/token /etc/app/config/token /only-here/token; echo
    cat /etc/hosts; hostname; id -u; pwd; head -c 4 /etc/passwd; echo
    ls -d ${volume}; echo new > /only-here/new; kill -0 ${process.pid} && echo same processes`;
  const command = ['sh', '-c', script];
  const entry = { root, hostname: 'web-1', workingDirectory: '/usr', mounts, command };
  const [file = '', ...args] = await enterNamespace(entry);
  const { stdout } = await promisify(execFile)(file, args);
  expect(stdout.split('\n')).toEqual([
    'secretsecretsecret',
    '127.0.0.1 localhost # mine',
    'web-1',
    String(process.getuid?.()),
    '/usr',
    'root',
    volume,
    'same processes',
    '',
  ]);
  const { stdout: outside } = await promisify(execFile)('cat', [join(volume, 'new')]);
  expect(outside).toBe('new\n');
});
