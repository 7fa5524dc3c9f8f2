import { createHash } from 'node:crypto';
import type { CSIDriver } from '../../api/types/storage/v1.d.ts';
import { type DeepReadonly, messageOf } from '../../base/index.ts';
import type { Observed, Pod } from '../../client/index.ts';
import { folderName, type MountRequest } from '../../node/index.ts';
import { type DriverObjects, podInfo } from './driver-objects.ts';
import type { VolumeUse } from './node-client.ts';
import { failure } from './volume-steps.ts';

type Driver = DeepReadonly<CSIDriver>;
type Texts = Readonly<Record<string, string>>;

/** A volume that a pod asks for. */
export interface WantedVolume {
  readonly request: MountRequest;
  readonly driverName: string;
  readonly handle: string;
  readonly spec: string;
  readonly isEphemeral: boolean;
  readonly isBlock: boolean;
  readonly isReadOnly: boolean;
  readonly fsType: string;
  readonly attributes: Texts;
}

/** What a driver gets with `NodePublishVolume`. */
export async function publishUse(
  wanted: WantedVolume,
  driver: Driver | undefined,
  objects: DriverObjects,
): Promise<VolumeUse> {
  const { driverName, handle, isEphemeral, isBlock, request } = wanted;
  const { pod, volume, persistentVolume, signal } = request;
  const publishContext = isEphemeral
    ? {}
    : await objects
        .publishContext({ driver: driverName, volumeHandle: handle }, driver, signal)
        .catch((error: unknown) => {
          throw failure(`mounter.SetUpAt failed to fetch publishContext: ${messageOf(error)}`, error);
        });
  const { name } = volume.csi?.nodePublishSecretRef ?? {};
  const secretRef = isEphemeral
    ? name === undefined
      ? undefined
      : { namespace: pod.metadata.namespace ?? '', name }
    : persistentVolume?.spec?.csi?.nodePublishSecretRef;
  const secrets = await objects.secret(secretRef, 'NodePublishSecretRef', signal);
  const tokens = isBlock
    ? {}
    : await objects.tokens(pod, driver).catch((error: unknown) => {
        throw failure(`mounter.SetUpAt failed to get service accoount token attributes: ${messageOf(error)}`, error);
      });
  const inSecrets = driver?.spec?.serviceAccountTokenInSecrets === true;
  const info = driver?.spec?.podInfoOnMount === true ? podInfo(pod, isEphemeral) : {};
  return useOf(wanted, {
    publishContext,
    secrets: inSecrets ? { ...secrets, ...tokens } : secrets,
    volumeContext: { ...wanted.attributes, ...info, ...(inSecrets ? {} : tokens) },
    group: groupOf(pod),
  });
}

/** A volume in the words of the protocol. */
export function useOf(
  { handle, isBlock, fsType, request }: WantedVolume,
  {
    group,
    ...texts
  }: Pick<VolumeUse, 'publishContext' | 'secrets' | 'volumeContext'> & { readonly group: number | undefined },
): VolumeUse {
  const { mountOptions: mountFlags = [], accessModes } = request.persistentVolume?.spec ?? {};
  return {
    handle,
    accessMode: accessModes?.[0] ?? 'ReadWriteOnce',
    type: isBlock ? { kind: 'block' } : { kind: 'mount', fsType, mountFlags, group },
    ...texts,
  };
}

export function wantedVolume(request: MountRequest): WantedVolume {
  const { volume, persistentVolume, pod } = request;
  const spec = folderName(request);
  if (volume.csi !== undefined) {
    const { driver, readOnly = false, fsType = '', volumeAttributes = {} } = volume.csi;
    const handle = `csi-${createHash('sha256').update(`${pod.metadata.uid}${spec}`).digest('hex')}`;
    const own = { isEphemeral: true, isBlock: false, isReadOnly: readOnly, fsType, attributes: volumeAttributes };
    return { request, driverName: driver, handle, spec, ...own };
  }
  const { csi, volumeMode } = persistentVolume?.spec ?? {};
  if (csi === undefined) throw failure('volume source not found in volume.Spec');
  return {
    request,
    driverName: csi.driver,
    handle: csi.volumeHandle,
    spec,
    isEphemeral: false,
    isBlock: volumeMode === 'Block',
    isReadOnly: volume.persistentVolumeClaim?.readOnly === true,
    fsType: csi.fsType ?? '',
    attributes: csi.volumeAttributes ?? {},
  };
}

/** Why a driver does not take such a volume. */
export function lifecycleProblem(
  driver: Driver | undefined,
  { driverName, isEphemeral }: WantedVolume,
): string | undefined {
  const mode = isEphemeral ? 'Ephemeral' : 'Persistent';
  const words = `volume mode "${mode}" not supported by driver ${driverName}`;
  if (driver === undefined) return isEphemeral ? `${words} (no CSIDriver object)` : undefined;
  const modes = driver.spec?.volumeLifecycleModes ?? ['Persistent'];
  if (modes.includes(mode)) return undefined;
  return `${words} (only supports [${modes.map((each) => JSON.stringify(each)).join(' ')}])`;
}

export function groupOf({ spec }: Observed<Pod>): number | undefined {
  return spec?.securityContext?.fsGroup;
}
