import { join } from 'node:path';
import type { DiskFigures } from '../../node/index.ts';
import { textOf } from '../machine/text-of.ts';
import type { ReadFigure } from './figure-texts.ts';

/** Microseconds of the kernel's cost model, by the key of a file of version 2. */
const COSTS: readonly (readonly [key: string, name: string])[] = [
  ['cost.usage', 'usage'],
  ['cost.wait', 'wait'],
  ['cost.indebt', 'indebt'],
  ['cost.indelay', 'indelay'],
];
const MICROSECONDS = 1e6;
/** The families of files of version 1, the best first: which ones are filled depends on the scheduler of the device. */
const FILES = ['bfq', 'throttle'];

interface Device {
  readonly bytes: Map<string, number>;
  readonly operations: Map<string, number>;
  readonly cost: Map<string, number>;
}

interface DiskOptions {
  readonly root: string;
  readonly version: 1 | 2;
}

/** What was read from and written to each device. */
export async function diskFigures(read: ReadFigure, { root, version }: DiskOptions): Promise<readonly DiskFigures[]> {
  const devices = version === 1 ? await splitDevices(read) : unifiedDevices(await read('io', 'io.stat'));
  return Promise.all(
    [...devices].map(async ([number, { bytes, operations, cost }]) => {
      const [major = 0, minor = 0] = number.split(':').map(Number);
      return { device: await deviceName(root, number), major, minor, bytes, operations, cost };
    }),
  );
}

async function splitDevices(read: ReadFigure): Promise<ReadonlyMap<string, Device>> {
  for (const family of FILES) {
    const [bytes, operations] = await Promise.all([
      read('blkio', `blkio.${family}.io_service_bytes_recursive`),
      read('blkio', `blkio.${family}.io_serviced_recursive`),
    ]);
    const devices = new Map<string, Device>();
    for (const { number, operation, value } of entriesOf(bytes)) deviceIn(devices, number).bytes.set(operation, value);
    for (const { number, operation, value } of entriesOf(operations))
      deviceIn(devices, number).operations.set(operation, value);
    if (devices.size > 0) return devices;
  }
  return new Map();
}

/** Lines such as `8:0 Read 4096`; the last line is the sum over all devices. */
function entriesOf(
  text: string,
): readonly { readonly number: string; readonly operation: string; readonly value: number }[] {
  return text.split('\n').flatMap((line) => {
    const [number = '', operation = '', value] = line.split(' ');
    return value === undefined ? [] : [{ number, operation, value: Number(value) }];
  });
}

/** Lines such as `8:0 rbytes=4096 wbytes=0 rios=1 wios=0 dbytes=0 dios=0`. */
function unifiedDevices(text: string): ReadonlyMap<string, Device> {
  const devices = new Map<string, Device>();
  for (const line of text.split('\n')) {
    const [number = '', ...pairs] = line.split(' ');
    if (pairs.length === 0) continue;
    const values = new Map(pairs.map((pair) => pair.split('=') as [string, string]));
    const device = deviceIn(devices, number);
    const set = (target: Map<string, number>, name: string, key: string): void => {
      const value = values.get(key);
      if (value !== undefined) target.set(name, Number(value));
    };
    set(device.bytes, 'Read', 'rbytes');
    set(device.bytes, 'Write', 'wbytes');
    set(device.operations, 'Read', 'rios');
    set(device.operations, 'Write', 'wios');
    for (const [key, name] of COSTS) {
      const value = values.get(key);
      if (value !== undefined) device.cost.set(name, Number(value) / MICROSECONDS);
    }
  }
  return devices;
}

function deviceIn(devices: Map<string, Device>, number: string): Device {
  const found = devices.get(number) ?? { bytes: new Map(), operations: new Map(), cost: new Map() };
  devices.set(number, found);
  return found;
}

/** `/dev/sda` for `8:0`; empty where the kernel has no name. */
async function deviceName(root: string, number: string): Promise<string> {
  const event = await textOf(join(root, 'sys/dev/block', number, 'uevent'));
  const name = /^DEVNAME=(.+)$/m.exec(event)?.[1];
  return name === undefined ? '' : `/dev/${name}`;
}
