import { mkdir, mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CryptoRandom, discardLogger, RealClock } from '../../src/base/index.ts';
import type { Observed, Pod } from '../../src/client/index.ts';
import { DriverFolder } from '../../src/flexvolume/index.ts';
import { linuxVolumes } from '../../src/linux/volumes/index.ts';
import type { Volume, VolumePlugin } from '../../src/node/index.ts';
import { Mounts, SmallShell } from '../../src/system/index.ts';

/** A node's FlexVolumes on this machine, below a folder of its own, without pods that run. Needs root for drivers that mount. */
export class FlexNode implements AsyncDisposable {
  readonly folder: string;
  readonly #shell = new SmallShell(new RealClock());
  readonly #mounts = new Mounts(this.#shell);
  readonly #plugin: VolumePlugin;

  static async create(): Promise<FlexNode> {
    return new FlexNode(await realpath(await mkdtemp(join(tmpdir(), 'keelson-flex-node-'))));
  }

  private constructor(folder: string) {
    this.folder = folder;
    const [clock, log] = [new RealClock(), discardLogger];
    const plugins = linuxVolumes({
      root: join(folder, 'kubelet'),
      mounts: this.#mounts,
      shell: this.#shell,
      clock,
      random: new CryptoRandom(),
      log,
      allocatableMemory: () => 0,
      flexDrivers: new DriverFolder(join(folder, 'drivers'), { clock, log }),
    });
    const [plugin] = plugins.filter(({ name }) => name === 'kubernetes.io/flexvolume');
    if (plugin === undefined) throw new Error('There is no plugin for FlexVolumes');
    this.#plugin = plugin;
  }

  /** Where the program of a driver belongs; its folder is made. */
  async driverPath(driver: string): Promise<string> {
    const folder = join(this.folder, 'drivers', driver.replaceAll('/', '~'));
    await mkdir(folder, { recursive: true });
    return join(folder, driver.slice(driver.lastIndexOf('/') + 1));
  }

  /** Mounts a volume `data` for a pod, and returns its folder. */
  async mount(podUid: string, flexVolume: NonNullable<Volume['flexVolume']>): Promise<string> {
    const metadata = { name: 'web', namespace: 'default', uid: podUid, resourceVersion: '1', creationTimestamp: '' };
    const pod: Observed<Pod> = { kind: 'Pod', apiVersion: 'v1', metadata, spec: { containers: [] } };
    const { signal } = new AbortController();
    const volume = { name: 'data', flexVolume };
    return await this.#plugin.mount({ pod, volume, persistentVolume: undefined, payload: undefined, signal });
  }

  async unmount(podUid: string): Promise<void> {
    await this.#plugin.unmount({ podUid, volume: 'data' });
  }

  async mountPoints(): Promise<readonly string[]> {
    return (await this.#mounts.below(this.folder)).map(({ point }) => point);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#mounts.unmountBelow(this.folder);
    this.#shell[Symbol.dispose]();
    await rm(this.folder, { recursive: true, force: true });
  }
}
