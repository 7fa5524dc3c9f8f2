import { join } from 'node:path';
import { Daemon, findPeers, type RunningServer } from '../../peers/index.ts';
import { findStorageProgram, storageProgramsFolder } from '../real-node/images/storage-programs.ts';

const SIDECARS = ['csi-provisioner', 'csi-attacher', 'csi-resizer', 'csi-snapshotter'] as const;

export interface ControllerOptions {
  readonly server: RunningServer;
  /** The socket of the driver. */
  readonly socket: string;
  /** Takes logs. */
  readonly folder: string;
  readonly bundle: string;
  /** Also takes snapshots of groups of volumes; default false. */
  readonly hasGroups?: boolean;
}

/** `keelson csi-controller` for a driver: provisions, attaches, expands and takes snapshots. */
export function startKeelsonControllers({ server, socket, folder, bundle, hasGroups }: ControllerOptions): Daemon[] {
  const args = [bundle, 'csi-controller', `--kubeconfig=${server.kubeconfig}`, `--csi-address=${socket}`];
  const gates = hasGroups === true ? ['--feature-gates=CSIVolumeGroupSnapshot=true'] : [];
  return [
    new Daemon(process.execPath, [...args, '--timeout=60s', ...gates], { logPath: join(folder, 'csi-controller.log') }),
  ];
}

/** Why Kubernetes' own sidecars cannot run; undefined when they can. */
export function whyNoSidecars(): string | undefined {
  const missing = SIDECARS.filter((name) => findStorageProgram(name) === undefined);
  if (missing.length > 0) return `${missing.join(', ')}: not a peer and not in ${storageProgramsFolder()}`;
  const found = findPeers(['snapshot-controller']);
  return found.paths === undefined ? found.reason : undefined;
}

/** Kubernetes' sidecars for a driver, and its snapshot controller. */
export function startSidecars({ server, socket, folder }: Omit<ControllerOptions, 'bundle'>): Daemon[] {
  const kubeconfig = `--kubeconfig=${server.kubeconfig}`;
  const sidecars = SIDECARS.map((name) => {
    const path = findStorageProgram(name)?.path ?? '';
    const extra = name === 'csi-provisioner' ? ['--feature-gates=Topology=true'] : [];
    const args = [kubeconfig, `--csi-address=${socket}`, '--timeout=60s', ...extra, '--v=4'];
    return new Daemon(path, args, { logPath: join(folder, `${name}.log`) });
  });
  return [...sidecars, ...startSnapshotController({ server, folder })];
}

/** Kubernetes' snapshot controller, if it has been built. */
export function startSnapshotController({ server, folder }: Pick<ControllerOptions, 'server' | 'folder'>): Daemon[] {
  const path = findPeers(['snapshot-controller']).paths?.['snapshot-controller'];
  if (path === undefined) return [];
  const args = [`--kubeconfig=${server.kubeconfig}`, '--leader-election=false', '--v=2'];
  return [new Daemon(path, args, { logPath: join(folder, 'snapshot-controller.log') })];
}
