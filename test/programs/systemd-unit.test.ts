// The systemd unit of the guide on real nodes, judged by systemd's own program.
import { spawnSync } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { skipWhen } from '../../src/base/testing/requires.ts';

const GUIDE = join(import.meta.dirname, '..', '..', 'docs', 'guides', 'real-nodes.md');
const UNIT = /```ini\n# \/etc\/systemd\/system\/(\S+)\n([\s\S]*?)```/;
const isThere = spawnSync('systemd-analyze', ['--version']).status === 0;

describe('systemd', skipWhen(!isThere, 'systemd-analyze is not installed'), () => {
  test('finds nothing wrong with the unit of the guide on real nodes', async () => {
    const [, name = '', unit = ''] = UNIT.exec(await readFile(GUIDE, 'utf8')) ?? [];
    const folder = await mkdtemp(join(tmpdir(), 'keelson-unit-'));
    try {
      const file = join(folder, name);
      await writeFile(file, unit.replace('/usr/local/bin/keelson', process.execPath));
      const { status, stderr } = spawnSync('systemd-analyze', ['verify', '--man=no', file], { encoding: 'utf8' });
      const own = stderr.split('\n').filter((line) => line.includes(name)); // other units of the machine are judged too
      expect({ name, status, own }).toEqual({ name: 'keelson-kubelet.service', status: 0, own: [] });
    } finally {
      await rm(folder, { recursive: true });
    }
  });
});
