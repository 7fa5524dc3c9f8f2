import { mkdir, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { FolderChanges, messageOf, type Runnable } from '../../base/index.ts';
import { FlexDriver, type FlexDriverParts } from './flex-driver.ts';

/** Where kubelets and controller managers look for drivers by default. */
export const DRIVER_FOLDER = '/usr/libexec/kubernetes/kubelet-plugins/volume/exec/';

/** How often the folder is read without a sign of change: a driver is copied into a folder of its own, which is not watched. */
const READ_MS = 60_000;
/** Drivers of one folder; the rest is ignored. */
const MAX_DRIVERS = 1000;

interface KnownDriver {
  /** Changes with the program. */
  readonly version: string;
  readonly driver: Promise<FlexDriver>;
}

/**
 * The drivers in a folder: `vendor~driver/driver` is the program of `vendor/driver`.
 *
 * Guarantees: a driver that was put there, replaced or removed is noticed before the next use of it, and `init` is called again after each
 * change. A driver whose `init` fails is tried again with each use.
 */
export class DriverFolder implements Runnable {
  readonly #folder: string;
  readonly #parts: FlexDriverParts;
  /** By the names of their folders. */
  readonly #known = new Map<string, KnownDriver>();

  constructor(folder: string, parts: FlexDriverParts) {
    this.#folder = folder;
    this.#parts = parts;
  }

  /** The driver `vendor/driver`; undefined when it is not there, or its `init` fails. */
  async find(name: string): Promise<FlexDriver | undefined> {
    return await this.#probe(folderOf(name));
  }

  /** All drivers that are there and answer `init`. */
  async all(): Promise<readonly FlexDriver[]> {
    const names = (await readdir(this.#folder).catch(() => [])).slice(0, MAX_DRIVERS);
    for (const name of this.#known.keys()) if (!names.includes(name)) this.#forget(name);
    const drivers = await Promise.all(names.map((name) => this.#probe(name)));
    return drivers.filter((driver) => driver !== undefined);
  }

  /** Makes the folder if it is missing, and calls `init` of drivers as they come. */
  async run(signal: AbortSignal): Promise<void> {
    const { clock, log } = this.#parts;
    while (!signal.aborted) {
      await mkdir(this.#folder, { recursive: true, mode: 0o755 }).catch((error: unknown) =>
        log.warn('folder of FlexVolume drivers cannot be made', { folder: this.#folder, error }),
      );
      using changes = new FolderChanges(this.#folder, { clock, maxWaitMs: READ_MS });
      await this.all();
      await changes.next(signal);
    }
  }

  async #probe(name: string): Promise<FlexDriver | undefined> {
    const path = join(this.#folder, name, programOf(name));
    const version = name.startsWith('.') ? undefined : await versionOf(path);
    if (version === undefined) {
      this.#forget(name);
      return undefined;
    }
    const known = this.#known.get(name);
    if (known?.version === version) return await known.driver.catch(() => undefined); // the first caller reports it
    const driver = FlexDriver.open(name.replaceAll('~', '/'), path, this.#parts);
    this.#known.set(name, { version, driver });
    const { log } = this.#parts;
    try {
      const opened = await driver;
      log.info('FlexVolume driver is there', { driver: opened.name, ...opened.capabilities });
      return opened;
    } catch (error) {
      if (this.#known.get(name)?.driver === driver) this.#known.delete(name);
      log.warn('FlexVolume driver cannot be used', { folder: name, error: messageOf(error) });
      return undefined;
    }
  }

  #forget(name: string): void {
    if (this.#known.delete(name)) this.#parts.log.info('FlexVolume driver is gone', { folder: name });
  }
}

/** The name of the folder of a driver, and of its folder below `volumes` of a pod. */
export function folderOf(driver: string): string {
  return driver.replaceAll('/', '~');
}

function programOf(folder: string): string {
  return folder.slice(folder.lastIndexOf('~') + 1);
}

async function versionOf(path: string): Promise<string | undefined> {
  const stats = await stat(path, { bigint: true }).catch(() => undefined); // it is not there
  if (stats?.isFile() !== true) return undefined;
  return [stats.dev, stats.ino, stats.size, stats.mtimeNs, stats.ctimeNs].join(' ');
}
