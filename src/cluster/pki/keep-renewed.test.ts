import { expect, test } from 'vitest';
import { discardLogger, VirtualClock } from '../../base/index.ts';
import { keepRenewed } from './renewal.ts';

test('certificates are looked at once a day, also after a look that failed, until it is disposed of', async () => {
  const clock = new VirtualClock();
  const begunMs = clock.now();
  const looks: number[] = [];
  const read = (): Promise<never> => {
    looks.push((clock.now() - begunMs) / 3_600_000);
    return Promise.reject(new Error('Cannot read keys'));
  };
  const keeping = keepRenewed({ read }, { clock, log: discardLogger, use: () => undefined });

  await clock.advance('3d');
  keeping[Symbol.dispose]();
  await clock.advance('3d');

  expect(looks).toEqual([24, 48, 72]);
});
