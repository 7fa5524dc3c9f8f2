import { amountsOf } from '../../api/meaning/index.ts';
import { messageOf } from '../../base/index.ts';
import type { Observed, PersistentVolume } from '../../client/index.ts';
import { VolumeGrowError } from '../../node/index.ts';
import type { DriverObjects } from './driver-objects.ts';
import { DriverCallError } from './node-client.ts';
import type { NodeDrivers } from './node-drivers.ts';

/** Codes with which a driver says that this size is never going to be. */
const INFEASIBLE = new Set(['INVALID_ARGUMENT', 'OUT_OF_RANGE', 'NOT_FOUND']);

/** Has the driver grow the file system of a published volume to the size of its PersistentVolume. */
export async function growVolume(
  { spec }: Observed<PersistentVolume>,
  { path, stagingPath }: { readonly path: string; readonly stagingPath: string },
  { drivers, objects }: { readonly drivers: NodeDrivers; readonly objects: DriverObjects },
): Promise<void> {
  const { csi, capacity, mountOptions = [], accessModes, volumeMode } = spec ?? {};
  if (csi === undefined) return;
  const client = drivers.client(csi.driver);
  const capabilities = await client.capabilities();
  if (!capabilities.expands)
    throw new VolumeGrowError('final', `NodeExpand is not supported by the CSI driver ${csi.driver}`);
  const secrets = await objects.secret(csi.nodeExpandSecretRef, 'NodeExpandSecretRef', NEVER);
  const use = {
    handle: csi.volumeHandle,
    accessMode: accessModes?.[0] ?? 'ReadWriteOnce',
    type:
      volumeMode === 'Block'
        ? ({ kind: 'block' } as const)
        : ({ kind: 'mount', fsType: csi.fsType ?? '', mountFlags: mountOptions, group: undefined } as const),
    publishContext: {},
    volumeContext: {},
    secrets,
  };
  try {
    const bytes =
      amountsOf(capacity ?? {})
        .get('storage')
        ?.value() ?? 0;
    await client.expand(use, { path, stagingPath, bytes, capabilities });
  } catch (error) {
    if (!(error instanceof DriverCallError)) throw error;
    const message = messageOf(error);
    if (INFEASIBLE.has(error.code))
      throw new VolumeGrowError('infeasible', `Expander.NodeExpand failed to expand the volume ${message}`, {
        cause: error,
      });
    const words = `Expander.NodeExpand failed to expand the volume : ${message}`;
    const outcome = error.code === 'FAILED_PRECONDITION' ? 'in use' : error.isFinal ? 'final' : 'unknown';
    throw new VolumeGrowError(outcome, words, { cause: error });
  }
}

/** Growing is short, and not given up. */
const NEVER = new AbortController().signal;
