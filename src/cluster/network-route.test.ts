import { execFileSync, spawnSync } from 'node:child_process';
import { resolve } from 'node:path';
import { expect, test } from 'vitest';
import { skipWhen } from '../base/testing/requires.ts';
import { routeProblem } from './network-route.ts';

const ENTER = ['--user', '--map-root-user', '--net'];
const canEnter = process.platform === 'linux' && spawnSync('unshare', [...ENTER, 'true']).status === 0;

test('an address of the machine itself has a route', async () => {
  expect(await routeProblem('127.0.0.1')).toBeUndefined();
});

test(
  'an address that no route leads to is unreachable',
  skipWhen(!canEnter, 'network namespaces cannot be made here'),
  () => {
    const module = resolve(import.meta.dirname, 'network-route.ts');
    const program = `import { build } from 'esbuild';
      const { outputFiles } = await build({ entryPoints: [${JSON.stringify(module)}], bundle: true, platform: 'node', format: 'esm', write: false });
      const { routeProblem } = await import('data:text/javascript,' + encodeURIComponent(outputFiles[0].text));
      console.log(await routeProblem('10.244.1.5'), '/', await routeProblem('fd00::5'));`;
    const printed = execFileSync('unshare', [...ENTER, process.execPath, '--input-type=module', '-e', program]);

    expect(printed.toString().trim()).toBe('network is unreachable / cannot assign requested address');
  },
);
