import type { AttachableSource, DirectAttacher, OpenDirectAttacher } from '../../controllers/index.ts';
import { DriverFolder } from '../host/driver-folder.ts';
import type { FlexDriver } from '../host/flex-driver.ts';
import { flexSourceOf, type FlexSource, optionsJson, uniqueName } from '../host/flex-source.ts';

/** Attaches volumes by the FlexVolume drivers in a folder of the controller manager's machine. */
export function flexAttacher(folder: string): OpenDirectAttacher {
  return (tools) => new FlexAttacher(new DriverFolder(folder, tools));
}

class FlexAttacher implements DirectAttacher {
  readonly #drivers: DriverFolder;

  constructor(drivers: DriverFolder) {
    this.#drivers = drivers;
  }

  nameOf({ volume, persistentVolume }: AttachableSource): string | undefined {
    const source = flexSourceOf(volume, persistentVolume);
    return source === undefined ? undefined : uniqueName(source);
  }

  async canAttach({ volume, persistentVolume }: AttachableSource): Promise<boolean> {
    const source = flexSourceOf(volume, persistentVolume);
    const driver = source === undefined ? undefined : await this.#drivers.find(source.driver);
    return driver?.capabilities.attach === true;
  }

  async attach(source: AttachableSource, nodeName: string): Promise<string> {
    const { flex, driver } = await this.#opened(source);
    const status = await driver.tryCall('attach', [optionsJson(flex), nodeName]);
    return status?.device ?? '';
  }

  async detach(name: string, nodeName: string): Promise<void> {
    const at = name.lastIndexOf('/');
    const driver = await this.#drivers.find(name.slice(0, at));
    if (driver === undefined) throw new Error(`no volume plugin matched name: ${name.slice(0, at)}`);
    await driver.tryCall('detach', [name.slice(at + 1), nodeName]);
  }

  async isAttached(source: AttachableSource, nodeName: string): Promise<boolean | undefined> {
    const { flex, driver } = await this.#opened(source);
    return (await driver.tryCall('isattached', [optionsJson(flex), nodeName]))?.attached;
  }

  async #opened(source: AttachableSource): Promise<{ readonly flex: FlexSource; readonly driver: FlexDriver }> {
    const flex = flexSourceOf(source.volume, source.persistentVolume);
    const driver = flex === undefined ? undefined : await this.#drivers.find(flex.driver);
    if (flex === undefined || driver === undefined) throw new Error('no volume plugin matched');
    return { flex, driver };
  }
}
