import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { podFolder, volumeFolder } from '../../node/index.ts';

/** The name of the plugin, in folders and messages. */
export const CSI = 'kubernetes.io/csi';
export const VOLUME_DATA = 'vol_data.json';

/** Where a kubelet puts the volumes of CSI drivers, below the agent's folder. */
export class VolumePaths {
  readonly #root: string;

  constructor(root: string) {
    this.#root = root;
  }

  /** Folder of all that is staged. */
  get plugin(): string {
    return join(this.#root, 'plugins', CSI);
  }

  get pods(): string {
    return podFolder(this.#root, '');
  }

  /** Folder of a staged file system: the driver stages it in `globalmount` there. */
  staged(driver: string, handle: string): string {
    return join(this.plugin, driver, createHash('sha256').update(handle).digest('hex'));
  }

  /** Folder of a pod's volume: the driver publishes it as `mount` there. */
  published(podUid: string, spec: string): string {
    return volumeFolder(this.#root, podUid, { plugin: CSI, name: spec.replaceAll('/', '~') });
  }

  /** Folder of all block volumes of the machine. */
  get devices(): string {
    return join(this.plugin, 'volumeDevices');
  }

  /** Folder of what is known of a block volume. */
  device(spec: string): string {
    return join(this.devices, spec.replaceAll('/', '~'));
  }

  stagedDevice(spec: string): string {
    return join(this.devices, 'staging', spec);
  }

  /** Where the driver publishes a device for a pod. */
  publishedDevice(podUid: string, spec: string): string {
    return join(this.devices, 'publish', spec, podUid);
  }

  /** Folder of the links to the devices of a pod. */
  deviceLinks(podUid: string): string {
    return join(podFolder(this.#root, podUid), 'volumeDevices', CSI.replace('/', '~'));
  }

  /** The link by which containers get the device. */
  deviceLink(podUid: string, spec: string): string {
    return join(this.deviceLinks(podUid), spec);
  }
}
