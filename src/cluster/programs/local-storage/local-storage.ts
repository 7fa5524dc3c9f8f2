import { mkdir } from 'node:fs/promises';
import { hostname } from 'node:os';
import { isAbsolute } from 'node:path';
import { type Runnable, runTogether } from '../../../base/index.ts';
import { type FolderQuotas, LocalStorage, type LocalStorageOptions, folderQuotas } from '../../../csi/index.ts';
import { type HealthOptions, HealthServer, type Part } from '../../../kit/index.ts';
import { listenAddress } from '../dns/dns-settings.ts';
import { FlagError, type FlagValues } from '../flag.ts';
import type { ProgramBody, StandaloneProgram, StandaloneTools } from '../program.ts';
import { durationFlag } from '../read-flags.ts';
import { IDENTITY, type LocalQuotas, type LocalStorageProgramOptions } from './options.ts';

const VERSION = '1.0.0';
const CLASS = 'local';
const ROOT_DIR = '/var/lib/kubelet';
const NAMESPACE = 'kube-system';

export const body: ProgramBody<LocalStorageProgramOptions> = {
  readFlags(flags) {
    const folder = flags.text('local-storage');
    if (folder === undefined) return {};
    return {
      localStorage: { folder: absolute('local-storage', folder), quotas: quotasFlag(flags, 'local-storage-quotas') },
    };
  },
  async open({ options }) {
    const { folder, quotas } = options.localStorage ?? { folder: '', quotas: 'none' };
    await openQuotas(folder, quotas);
    return { [Symbol.dispose]: () => undefined };
  },
  inCluster: ({ options }) => ({ identity: IDENTITY, parts: [clusterPart(options)] }),
  standalone,
};

/** The class as a part of a cluster with a real node in the same process. */
function clusterPart({ realNode, localStorage }: LocalStorageProgramOptions): Part {
  const { folder, quotas: kind } = localStorage ?? { folder: '', quotas: 'none' };
  const { name = hostname().toLowerCase(), rootDir = ROOT_DIR } = realNode ?? {};
  return {
    name: 'local-storage',
    prepare: ({ client, clock, random, log }) => ({
      async run(signal) {
        const quotas = await openQuotas(folder, kind);
        const place = { folder, rootDir, nodeName: name, version: VERSION, quotas, className: CLASS };
        await new LocalStorage(client, {
          ...place,
          ...{ capacity: { namespace: NAMESPACE }, clock, random, log },
        }).run(signal);
      },
    }),
  };
}

/** `keelson local-storage`. */
async function standalone(flags: FlagValues, { print }: StandaloneTools): Promise<StandaloneProgram> {
  if ((flags.text('kubeconfig') ?? '') === '')
    throw new FlagError('local-storage needs --kubeconfig: it does not follow the current cluster of kubectl');
  const folder = absolute('folder', flags.text('folder') ?? '');
  const quotas = await openQuotas(folder, quotasFlag(flags, 'quotas'));
  const nodeName = (flags.text('hostname-override') ?? hostname()).toLowerCase();
  const className = flags.text('class-name') ?? CLASS;
  const health = healthOf(flags);
  const place: Pick<LocalStorageOptions, 'folder' | 'rootDir' | 'nodeName' | 'version' | 'quotas' | 'className'> = {
    ...{
      folder,
      rootDir: absolute('root-dir', flags.text('root-dir') ?? ROOT_DIR),
      nodeName,
      version: VERSION,
      quotas,
    },
    ...(className === 'none' ? {} : { className }),
  };
  const namespace = flags.text('capacity-namespace') ?? NAMESPACE;
  const pollMs = durationFlag(flags, 'capacity-poll-interval');
  return {
    election: false,
    async run({ client, clock, random, log }, signal) {
      const capacity = { namespace, pollMs };
      const storage = new LocalStorage(client, { ...place, capacity, clock, random, log });
      print(`serving volumes of node "${nodeName}" in ${folder}${quotas === undefined ? ', without limits' : ''}`);
      const tasks: Runnable[] = [storage];
      if (health !== undefined) tasks.push(new HealthServer(health, storage));
      await runTogether(tasks, signal);
    },
  };
}

/** The quotas of the folder's file system; undefined where none are wanted. */
async function openQuotas(folder: string, kind: LocalQuotas): Promise<FolderQuotas | undefined> {
  if (kind === 'none') return undefined;
  await mkdir(folder, { recursive: true, mode: 0o711 });
  const found = await folderQuotas(folder);
  if (typeof found !== 'string') return found;
  throw new FlagError(`Cannot limit the sizes of local volumes: ${found}; --quotas none does without limits`);
}

function quotasFlag(flags: FlagValues, name: string): LocalQuotas {
  const text = flags.text(name) ?? 'required';
  if (text === 'required' || text === 'none') return text;
  throw new FlagError(`--${name} must be required or none, got "${text}"`);
}

function absolute(name: string, path: string): string {
  if (isAbsolute(path)) return path;
  throw new FlagError(`--${name} must be an absolute path, got "${path}"`);
}

/** Undefined for nowhere. */
function healthOf(flags: FlagValues): HealthOptions | undefined {
  const text = flags.text('health-address') ?? 'none';
  return text === 'none' ? undefined : listenAddress('health-address', text);
}
