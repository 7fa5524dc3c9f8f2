import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { cniRunner, type CniRunner, type NetworkConfiguration, parseNetworkConfiguration } from 'keelson/cni';
import { NetworkNamespace } from '../../src/cni/network-namespace.ts';
import { bundlePlugin } from './bundle-plugin.ts';

export { needsNamespaces } from '../../src/cni/testing/needs-namespaces.ts';
export { NetworkNamespace };

const root = join(import.meta.dirname, '..', '..');

/**
 * A place to try plugins: programs that are bundled as the guide says, a network namespace that stands for the machine, and a runner.
 * Nothing of the machine's own network changes, and all of it is gone at the end.
 */
export class CniBench implements AsyncDisposable {
  readonly folder: string;
  /** The namespace in which the plugins run. */
  readonly machine: NetworkNamespace;
  readonly runner: CniRunner;

  /** The plugins by name, with the path of their main module below the root of the repository. */
  static async create(plugins: Readonly<Record<string, string>>): Promise<CniBench> {
    const folder = await mkdtemp(join(tmpdir(), 'keelson-cni-bench-'));
    const machine = await NetworkNamespace.create();
    await mkdir(join(folder, 'bin'));
    for (const [name, path] of Object.entries(plugins)) {
      const program = await bundlePlugin(join(root, path), join(folder, 'bundles', name));
      await writeFile(
        join(folder, 'bin', name),
        `#!/bin/sh\nexec nsenter --net=${machine.path} -- ${process.execPath} ${program} "$@"\n`,
      );
      await chmod(join(folder, 'bin', name), 0o755);
    }
    return new CniBench(folder, machine);
  }

  private constructor(folder: string, machine: NetworkNamespace) {
    this.folder = folder;
    this.machine = machine;
    this.runner = cniRunner({ pluginFolders: [join(folder, 'bin')], cacheFolder: join(folder, 'cache') });
  }

  /** A path for files that plugins keep. */
  state(name: string): string {
    return join(this.folder, 'state', name);
  }

  network(name: string, plugins: readonly object[]): NetworkConfiguration {
    return parseNetworkConfiguration(JSON.stringify({ cniVersion: '1.1.0', name, plugins }));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.machine[Symbol.asyncDispose]();
    await rm(this.folder, { recursive: true, force: true });
  }
}
