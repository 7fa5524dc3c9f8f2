import { mkdir, mkdtemp, readdir, readlink, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { ContainerStatus } from '../../node/index.ts';
import { ContainerLogFiles } from './container-log-files.ts';

let folder: string;
let links: string;
let logs: ContainerLogFiles;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'keelson-links-'));
  links = join(folder, 'containers');
  logs = new ContainerLogFiles(links);
  await logs.prepare();
});
afterEach(() => rm(folder, { recursive: true }));

async function logged(pod: string, id: string): Promise<ContainerStatus> {
  const path = join(folder, `default_${pod}_uid-${pod}`, 'main');
  await mkdir(path, { recursive: true });
  const logPath = join(path, `${id}.log`);
  for (const end of ['', '.20260101-000000', '.20260101-000000.gz']) await writeFile(`${logPath}${end}`, '');
  const labels = {
    'io.kubernetes.pod.name': pod,
    'io.kubernetes.pod.namespace': 'default',
    'io.kubernetes.container.name': 'main',
  };
  return { id, logPath, labels } as Partial<ContainerStatus> as ContainerStatus;
}

test('a link leads to the log of each container, and goes with it', async () => {
  const [first, second] = [await logged('web', 'c1'), await logged('web', 'c11')];
  for (const each of [first, second, first]) await logs.link(each);
  expect(await readdir(links)).toEqual(['web_default_main-c1.log', 'web_default_main-c11.log']);
  expect(await readlink(join(links, 'web_default_main-c1.log'))).toBe(first.logPath);
  await logs.remove(first);
  expect(await readdir(links)).toEqual(['web_default_main-c11.log']);
  expect((await readdir(join(folder, 'default_web_uid-web', 'main'))).every((name) => name.startsWith('c11.'))).toBe(
    true,
  );
});

test('the links of a pod go with its logs', async () => {
  for (const pod of ['web', 'web-2']) await logs.link(await logged(pod, 'c1'));
  await logs.removePod(join(folder, 'default_web_uid-web'));
  expect(await readdir(links)).toEqual(['web-2_default_main-c1.log']);
  expect(await readdir(folder)).toEqual(['containers', 'default_web-2_uid-web-2']);
});

test('long names are cut off, and containers of other programs get no link', async () => {
  const long = await logged('p'.repeat(100), 'c'.repeat(200));
  await logs.link(long);
  expect((await readdir(links))[0]?.length).toBe(255);
  await logs.link({ ...(await logged('web', 'c1')), labels: {} });
  expect((await readdir(links)).length).toBe(1);
});
