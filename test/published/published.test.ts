import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';

const root = join(import.meta.dirname, '..', '..');

describe('the published package', () => {
  beforeAll(() => {
    if (existsSync(join(root, 'dist', 'testing.js'))) return; // `npm test` has built it
    const { status, stderr } = spawnSync(process.execPath, ['scripts/build.mjs'], { cwd: root, encoding: 'utf8' });
    expect(stderr).toBe('');
    expect(status).toBe(0);
  });

  test('works in node:test without any help from this repository', () => {
    const program = join(import.meta.dirname, 'cluster.mjs');
    const { status, stdout } = spawnSync(process.execPath, ['--test', program], { cwd: root, encoding: 'utf8' });

    expect(stdout).toContain('# pass 1');
    expect(status).toBe(0);
  });
});
