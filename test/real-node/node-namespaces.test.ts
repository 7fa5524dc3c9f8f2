import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { skipWhen } from '../../src/base/testing/requires.ts';
import { runInNamespaces, whyNoNamespaces } from './namespaces.ts';

const reason = whyNoNamespaces();
const LIMIT_MS = 120_000;

test(
  'two nodes have files, groups and names of their own, and their pods reach each other by routes with their own addresses',
  { ...skipWhen(reason !== undefined, reason ?? ''), timeout: LIMIT_MS },
  async () => {
    const folder = await mkdtemp(join(tmpdir(), 'keelson-two-nodes-'));
    onTestFinished(() => rm(folder, { recursive: true }));
    const out = join(folder, 'out');
    const program = resolve(import.meta.dirname, 'testing', 'two-nodes.ts');
    const lines: string[] = [];
    const command = ['bash', '-c', `${process.execPath} scripts/run.mjs ${program} > ${out} 2>&1`];
    const code = await runInNamespaces({ command, limitMs: LIMIT_MS, print: (line) => lines.push(line) });
    const printed = await readFile(out, 'utf8');

    expect(code, printed).toBe(0);
    expect(JSON.parse(printed)).toEqual({
      hostnames: ['node-1', 'node-2'],
      memoryGroup: 'memory:/',
      groupFromOutside: '/sys/fs/cgroup/memory/node-2',
      hasFilesOfFirst: '/etc/cni/net.d:\n\n/var/log:',
      fromFirst: '10.244.0.2',
      fromSecond: '10.244.1.2',
    });
    expect(lines).toEqual(['namespaces are gone: 0 things left behind']);
  },
);
