import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { discardLogger, RealClock } from '../../base/index.ts';
import { RecordingDriver } from '../testing/recording-driver.ts';
import { DriverFolder } from './driver-folder.ts';
import { FlexDriver } from './flex-driver.ts';

const tools = { clock: new RealClock(), log: discardLogger };
const INIT = `init) echo '{"status": "Success", "capabilities": {"attach": false}}' ;;`;
let folder: string;
let driver: RecordingDriver;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'keelson-flex-'));
  driver = new RecordingDriver(join(folder, 'drivers'), 'example.com/disk', folder);
});
afterEach(() => rm(folder, { recursive: true }));

test('a driver that comes, changes and goes is noticed before its next use', async () => {
  const drivers = new DriverFolder(join(folder, 'drivers'), tools);
  expect(await drivers.find('example.com/disk')).toBeUndefined();

  await driver.install(INIT);
  expect((await drivers.find('example.com/disk'))?.capabilities).toEqual({
    attach: false,
    selinuxRelabel: true,
    supportsMetrics: false,
    fsGroup: true,
    requiresFSResize: true,
  });
  await drivers.find('example.com/disk');
  expect(await driver.calls()).toEqual([['init']]);

  await driver.install(`init) echo '{"status": "Success", "Capabilities": {"supportsMetrics": true}}' ;;`);
  expect((await drivers.find('example.com/disk'))?.capabilities).toMatchObject({ attach: true, supportsMetrics: true });

  await rm(driver.folder, { recursive: true });
  expect(await drivers.find('example.com/disk')).toBeUndefined();
  expect(await drivers.all()).toEqual([]);
});

test('a driver whose init fails is tried again with the next use', async () => {
  const drivers = new DriverFolder(join(folder, 'drivers'), tools);
  await driver.install(`init) test -e '${folder}/ready' && echo '{"status": "Success"}' ;;`);
  expect(await drivers.find('example.com/disk')).toBeUndefined();
  await writeFile(join(folder, 'ready'), '');
  expect(await drivers.find('example.com/disk')).toBeDefined();
});

test('folders without a program, and hidden ones, are no drivers', async () => {
  const hidden = new RecordingDriver(join(folder, 'drivers'), '.hidden/disk', folder);
  await hidden.install(INIT);
  await mkdir(join(folder, 'drivers', 'empty'));
  expect(await new DriverFolder(join(folder, 'drivers'), tools).all()).toEqual([]);
});

test('run() makes the folder, and calls init of drivers as they come', async () => {
  const stop = new AbortController();
  const running = new DriverFolder(join(folder, 'drivers'), tools).run(stop.signal);
  await expect.poll(() => readdir(folder)).toContain('drivers');
  await driver.install(INIT);
  await mkdir(join(folder, 'drivers', 'sign')); // a change of the folder itself
  await expect.poll(() => driver.calls()).toEqual([['init']]);
  stop.abort();
  await running;
});

test('a driver that takes too long is stopped', async () => {
  await driver.install(`${INIT}\nwaitforattach) sleep 60 ;;`);
  const opened = await FlexDriver.open('example.com/disk', join(driver.folder, 'disk'), tools);
  await expect(opened.call('waitforattach', [], { timeoutMs: 10 })).rejects.toThrow('timeout');
});

test('a driver that fails and answers with success has failed', async () => {
  await driver.install(`${INIT}\nmount) echo '{"status": "Success"}'; exit 3 ;;`);
  const opened = await FlexDriver.open('example.com/disk', join(driver.folder, 'disk'), tools);
  await expect(opened.call('mount', [])).rejects.toThrow('exit status 3');
});
