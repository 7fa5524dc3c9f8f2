/** A device of a plugin. */
export interface PluginDevice {
  /** Unique among the devices of the resource on the node. */
  readonly id: string;
  /** Default true. Devices that are not healthy are not given to new pods. */
  readonly isHealthy?: boolean;
  /** The NUMA nodes that the device is near to, for the topology manager; default none. */
  readonly numaNodes?: readonly number[];
}

/** Devices whose list changes while the plugin runs. */
export class DeviceList {
  #devices: ReadonlyMap<string, PluginDevice>;
  readonly #waiting = new Set<() => void>();

  constructor(devices: readonly PluginDevice[] = []) {
    this.#devices = byId(devices);
  }

  all(): readonly PluginDevice[] {
    return [...this.#devices.values()];
  }

  get(id: string): PluginDevice | undefined {
    return this.#devices.get(id);
  }

  /** Replaces all devices. */
  set(devices: readonly PluginDevice[]): void {
    this.#devices = byId(devices);
    const waiting = [...this.#waiting];
    this.#waiting.clear();
    for (const wake of waiting) wake();
  }

  /** Throws for a device that is not in the list. */
  setHealth(id: string, isHealthy: boolean): void {
    const device = this.#devices.get(id);
    if (device === undefined) throw new Error(`Cannot set the health of device "${id}": there is no such device`);
    if ((device.isHealthy ?? true) !== isHealthy)
      this.set(this.all().map((each) => (each.id === id ? { ...each, isHealthy } : each)));
  }

  /** The list now, and again whenever it has changed. Lists that a slow reader would see late are skipped. */
  async *follow(signal: AbortSignal): AsyncGenerator<readonly PluginDevice[]> {
    let seen: ReadonlyMap<string, PluginDevice> | undefined;
    while (!signal.aborted) {
      if (seen === this.#devices) await this.#changed(signal);
      if (signal.aborted) return;
      if (seen !== this.#devices) {
        seen = this.#devices;
        yield this.all();
      }
    }
  }

  #changed(signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const wake = (): void => {
        signal.removeEventListener('abort', wake);
        this.#waiting.delete(wake);
        resolve();
      };
      this.#waiting.add(wake);
      signal.addEventListener('abort', wake, { once: true });
    });
  }
}

function byId(devices: readonly PluginDevice[]): ReadonlyMap<string, PluginDevice> {
  const map = new Map<string, PluginDevice>();
  for (const device of devices) {
    if (device.id === '') throw new TypeError('Not a list of devices: a device has an empty id');
    if (map.has(device.id)) throw new TypeError(`Not a list of devices: "${device.id}" is there twice`);
    map.set(device.id, device);
  }
  return map;
}
