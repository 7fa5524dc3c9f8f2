import { Buffer } from 'node:buffer';
import type { Observed, Pod } from '../../client/index.ts';
import { type Machine, podFolder, type PodContent, type Volume, type VolumePayload } from '../backend/index.ts';
import { hostsContent, hostsFile } from '../config/index.ts';
import { hasPayload, type VolumeData, volumePayload } from './volume-files.ts';

export interface PodContentsParts {
  readonly data: VolumeData;
  readonly machine: Pick<Machine, 'addresses' | 'dns' | 'folders'>;
  /** The node's allocatable resources. */
  allocatable(): Readonly<Record<string, string>>;
  /** The node's pod of this uid. */
  pod(uid: string): Observed<Pod> | undefined;
}

const FILE_MODE = 0o644;

/** Computes the files that the agent provides for pods: volumes that are built from the API, and `/etc/hosts`. */
export class PodContents {
  readonly #parts: PodContentsParts;

  constructor(parts: PodContentsParts) {
    this.#parts = parts;
  }

  /** Undefined for volumes whose content does not come from the API. */
  payload(pod: Observed<Pod>, volume: Volume): (() => Promise<VolumePayload>) | undefined {
    if (!hasPayload(volume)) return undefined;
    return () => {
      const { data, machine } = this.#parts;
      const podIps = (pod.status?.podIPs ?? []).map(({ ip }) => ip ?? '');
      const addresses = { podIps, hostIps: machine.addresses };
      return volumePayload(pod, volume, { data, ...addresses, allocatable: this.#parts.allocatable() });
    };
  }

  /** The pod needs nothing any more. */
  forgetPod(podUid: string): void {
    this.#parts.data.forgetPod(podUid);
  }

  hosts(pod: Observed<Pod>, podIps: readonly string[], machineHosts: string): string {
    const { clusterDomain } = this.#parts.machine.dns;
    return hostsContent(pod, { podIps, clusterDomain, machineHosts });
  }

  /** The content at a path below the agent's folder; undefined for paths that the agent does not provide. */
  async at(path: string): Promise<PodContent | undefined> {
    const { root } = this.#parts.machine.folders;
    const [uid = '', ...rest] = path.slice(podFolder(root, '').length).split('/');
    const pod = path.startsWith(podFolder(root, '')) ? this.#parts.pod(uid) : undefined;
    if (pod === undefined) return undefined;
    if (path === hostsFile(root, uid)) {
      const podIps = (pod.status?.podIPs ?? []).map(({ ip }) => ip ?? '');
      const bytes = Buffer.from(this.hosts(pod, podIps, ''));
      return { files: [{ path: '', mode: FILE_MODE, bytes }], isFixed: false };
    }
    const [folder, , name = '', ...within] = rest;
    const volume = folder === 'volumes' ? pod.spec?.volumes?.find((each) => each.name === name) : undefined;
    const payload = volume === undefined ? undefined : this.payload(pod, volume);
    if (payload === undefined) return undefined;
    return { files: below((await payload()).files, within.join('/')), isFixed: within.length > 0 };
  }
}

/** The files below a path within a volume, or the one that is there. */
function below(files: VolumePayload['files'], start: string): PodContent['files'] {
  if (start === '') return files;
  return files.flatMap((file) => {
    if (file.path === start) return [{ ...file, path: '' }];
    return file.path.startsWith(`${start}/`) ? [{ ...file, path: file.path.slice(start.length + 1) }] : [];
  });
}
