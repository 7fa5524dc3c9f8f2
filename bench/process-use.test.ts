import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { cpuMsOf } from './process-use.ts';

const BUSY_MS = 200;

test.runIf(process.platform === 'linux')(
  'processor time of a process includes that of children which have ended',
  () => {
    const others = (): number => cpuMsOf(process.pid) - (process.cpuUsage().user + process.cpuUsage().system) / 1000;
    const before = others();

    spawnSync(process.execPath, ['-e', `while (process.cpuUsage().user < ${BUSY_MS * 1000});`]);

    expect(others() - before).toBeGreaterThan(BUSY_MS / 2);
  },
);
