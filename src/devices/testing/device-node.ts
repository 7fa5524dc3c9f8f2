// The device plugins of a node in a folder of its own, for tests. The node's time is virtual, that of plugins is not.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CryptoRandom, discardLogger, RealClock, VirtualClock } from '../../base/index.ts';
import { podOf } from '../../node/testing/pod-views.ts';
import { DiskCheckpoints } from '../../system/index.ts';
import { DevicePlugins } from '../host/device-plugins.ts';
import { devicePlugin, type DevicePluginDefinition } from '../published.ts';

export const RESOURCE = 'example.com/fpga';

type TestPod = ReturnType<typeof podOf>;

const realClock = new RealClock();
const MAX_WAIT_MS = 20_000;

export class DeviceNode implements AsyncDisposable {
  /** The folder in the place of `/var/lib/kubelet`. */
  readonly root: string;
  readonly folder: string;
  readonly clock = new VirtualClock();
  readonly changedPods: string[] = [];
  readonly #opened: AsyncDisposable[] = [];

  static async create(): Promise<DeviceNode> {
    return new DeviceNode(await mkdtemp(join(tmpdir(), 'keelson-devices-')));
  }

  private constructor(root: string) {
    this.root = root;
    this.folder = join(root, 'device-plugins');
  }

  /** Opens the device plugins as an agent that starts does. */
  async open(numaNodes: readonly number[] = []): Promise<DevicePlugins> {
    const { folder, clock } = this;
    return this.kept(
      await DevicePlugins.open({
        ...{ folder, checkpoints: new DiskCheckpoints(folder), numaNodes, clock, random: new CryptoRandom() },
        log: discardLogger,
        changed: () => undefined,
        podChanged: (uid) => this.changedPods.push(uid),
      }),
    );
  }

  /** Starts a plugin of the kit, by default with the devices `a` and `b`. */
  async startPlugin(definition: Partial<DevicePluginDefinition> = {}): Promise<AsyncDisposable> {
    const plugin = devicePlugin({
      resource: RESOURCE,
      devices: [{ id: 'a' }, { id: 'b' }],
      allocate: (given) => ({ env: { FPGA: given.map(({ id }) => id).join(',') } }),
      ...definition,
    });
    return this.kept(await plugin.start({ kubeletDir: this.root }));
  }

  kept<T extends AsyncDisposable>(disposable: T): T {
    this.#opened.push(disposable);
    return disposable;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const each of this.#opened.splice(0).toReversed()) await each[Symbol.asyncDispose]();
    await rm(this.root, { recursive: true });
  }
}

/** Waits in real time, as plugins are outside of virtual time. */
export async function until(holds: () => boolean): Promise<void> {
  const endMs = realClock.monotonic() + MAX_WAIT_MS;
  while (!holds()) {
    if (realClock.monotonic() > endMs) throw new Error('What the test waits for has not happened');
    await realClock.sleep(2);
  }
}

/** Waits until the node counts that many healthy devices. */
export async function listed(node: DevicePlugins, count = 2, resource = RESOURCE): Promise<void> {
  await until(() => node.resources().allocatable[resource] === String(count));
}

export function asking(count: number, resource = RESOURCE): { readonly limits: Readonly<Record<string, string>> } {
  return { limits: { [resource]: String(count) } };
}

/** A pod with one container, `main`, that asks for devices. */
export function podWith(uid: string, count = 1, resource = RESOURCE): TestPod {
  const containers = [{ name: 'main', image: 'i', resources: asking(count, resource) }];
  return podOf({ metadata: { name: uid, uid }, spec: { containers } });
}

export function idsOf(node: DevicePlugins, uid: string, container = 'main'): readonly string[] {
  return node.given(uid, container).map(({ id }) => id);
}
