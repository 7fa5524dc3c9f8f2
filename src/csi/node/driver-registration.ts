import { type Logger, messageOf } from '../../base/index.ts';
import type { Plugin, PluginHandler } from '../../plugins/index.ts';
import type { NodeDrivers } from './node-drivers.ts';
import type { NodeInfo } from './node-info.ts';

export interface DriverRegistrationParts {
  readonly drivers: NodeDrivers;
  readonly nodeInfo: NodeInfo;
  readonly log: Logger;
}

/** Takes CSI drivers of the plugin watcher: asks each which node it is on, and writes that into the cluster. */
export class DriverRegistration implements PluginHandler {
  readonly type = 'CSIPlugin';
  readonly #parts: DriverRegistrationParts;

  constructor(parts: DriverRegistrationParts) {
    this.#parts = parts;
  }

  validate({ name, endpoint, versions }: Plugin): void {
    try {
      this.#version('ValidatePlugin', name, versions);
    } catch (error) {
      const words = `validation failed for CSI Driver ${name} at endpoint ${endpoint}`;
      throw new Error(`${words}: ${messageOf(error)}`, { cause: error });
    }
  }

  async register({ name, endpoint, versions }: Plugin, signal: AbortSignal): Promise<void> {
    const { drivers, nodeInfo } = this.#parts;
    const version = this.#version('RegisterPlugin', name, versions);
    await drivers.add(name, { endpoint, version });
    try {
      await nodeInfo.install(name, await drivers.client(name).info(signal), signal);
    } catch (error) {
      await drivers.remove(name);
      if (!signal.aborted) await this.#uninstall(name, signal);
      throw error;
    }
  }

  async deregister({ name }: Plugin): Promise<void> {
    await this.#parts.drivers.remove(name);
    await this.#parts.nodeInfo.uninstall(name);
  }

  async #uninstall(name: string, signal: AbortSignal): Promise<void> {
    try {
      await this.#parts.nodeInfo.uninstall(name, signal);
    } catch (error) {
      this.#parts.log.warn('CSI driver is not removed from the node', { driver: name, error: messageOf(error) });
    }
  }

  #version(caller: string, name: string, versions: readonly string[]): readonly number[] {
    const failed = `kubernetes.io/csi: ${caller} for CSI driver ${JSON.stringify(name)} failed.`;
    if (versions.length === 0) throw new Error(`${failed} Plugin returned an empty list for supported versions`);
    const highest = highestVersion(versions);
    if (typeof highest === 'string') {
      const list = `[${versions.map((version) => JSON.stringify(version)).join(' ')}]`;
      throw new Error(`${failed} None of the versions specified ${list} are supported. err=${highest}`);
    }
    const known = this.#parts.drivers.version(name);
    if (known === undefined || compare(known, highest) < 0) return highest;
    const words = 'Another driver with the same name is already registered with a higher supported version';
    throw new Error(`${failed} ${words}: "${known.join('.')}"`);
  }
}

const VERSION = /^\s*v?(\d+(?:\.\d+)+)/;

/** The highest 1.x version, or why there is none. */
function highestVersion(versions: readonly string[]): readonly number[] | string {
  let problem = '<nil>';
  let highest: readonly number[] | undefined;
  for (const text of versions) {
    const parsed = VERSION.exec(text)?.[1]?.split('.').map(Number);
    if (parsed === undefined) problem = `could not parse ${JSON.stringify(text)} as version`;
    else if ((parsed[0] ?? 0) <= 1 && (highest === undefined || compare(highest, parsed) < 0)) highest = parsed;
  }
  if (highest === undefined)
    return `could not find a highest supported version from versions ([${versions.join(' ')}]) reported: ${problem}`;
  if (highest[0] !== 1) return `highest supported version reported is ${highest.join('.')}, must be v1.x`;
  return highest;
}

function compare(one: readonly number[], other: readonly number[]): number {
  for (let index = 0; index < Math.max(one.length, other.length); index++) {
    const difference = (one[index] ?? 0) - (other[index] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}
