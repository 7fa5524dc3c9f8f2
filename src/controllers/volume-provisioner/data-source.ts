// What a claim's volume begins as a copy of: another claim's volume, or a snapshot.
import { messageOf } from '../../base/index.ts';
import { requestOf } from '../../api/meaning/index.ts';
import { parseQuantity, ValueError } from '../../api/values/index.ts';
import {
  type Client,
  hasReason,
  mergePatch,
  type Observed,
  PersistentVolume,
  PersistentVolumeClaim,
  type StorageClass,
} from '../../client/index.ts';
import type { ReconcileContext } from '../../kit/index.ts';
import { SNAPSHOT_GROUP, VolumeSnapshot, VolumeSnapshotContent } from './snapshot-kinds.ts';
import { type ContentSource, NotReadyError, type VolumeDriver } from './volume-driver.ts';

type Claim = Observed<PersistentVolumeClaim>;
type Class = Observed<StorageClass>;

/** Keeps a claim until no volume begins as a copy of it any more. */
export const CLONE_FINALIZER = 'provisioner.storage.kubernetes.io/cloning-protection';
/** Keeps a snapshot while a volume is made from it. */
export const RESTORE_FINALIZER = 'provisioner.storage.kubernetes.io/volumesnapshot-as-source-protection';
const ALLOWS_MODE_CHANGE = 'snapshot.storage.kubernetes.io/allow-volume-mode-change';

/** What a claim names as its source. */
export interface DataSource {
  readonly kind: string;
  readonly name: string;
  readonly apiGroup: string;
}

/** The source of a claim; undefined for none. */
export function dataSourceOf({ metadata, spec }: Claim): DataSource | undefined {
  const { dataSource, dataSourceRef } = spec ?? {};
  const named = dataSource ?? dataSourceRef;
  if (named === undefined) return undefined;
  if (dataSource === undefined && (dataSourceRef?.namespace ?? '') !== '')
    throw new NotReadyError(
      'dataSourceRef namespace specified but the CrossNamespaceVolumeDataSource feature is disabled',
    );
  if (named.name === '') throw new NotReadyError(`the PVC source not found for PVC ${metadata.name}`);
  const { kind, name, apiGroup = '' } = named;
  return { kind, name, apiGroup };
}

/** Whether a provisioner is meant to copy the source. Others are left to programs that fill volumes. */
export function isCopied({ kind }: DataSource): boolean {
  return kind === 'VolumeSnapshot' || kind === 'PersistentVolumeClaim';
}

/** Refuses a source of a kind that the driver cannot copy. */
export function checkSource({ kind, apiGroup }: DataSource, driver: VolumeDriver): void {
  if (kind === 'VolumeSnapshot' && apiGroup !== SNAPSHOT_GROUP)
    throw new NotReadyError(
      `the PVC source does not belong to the right APIGroup. Expected ${SNAPSHOT_GROUP}, Got ${apiGroup}`,
    );
  if (kind === 'VolumeSnapshot' && driver.createSnapshot === undefined)
    throw new NotReadyError(
      'CSI driver does not support snapshot restore: controller CREATE_DELETE_SNAPSHOT capability is not reported',
    );
  if (kind === 'PersistentVolumeClaim' && driver.features?.clones !== true)
    throw new NotReadyError(
      'CSI driver does not support clone operations: controller CLONE_VOLUME capability is not reported',
    );
}

export interface SourceOptions {
  readonly storageClass: Class;
  /** Whether a snapshot of a block device stays one. */
  readonly keepsMode: boolean;
  readonly context: Pick<ReconcileContext, 'client' | 'objects'>;
}

/** The driver's name of the source. The source is protected until the copy is made. */
export async function contentSource(claim: Claim, source: DataSource, options: SourceOptions): Promise<ContentSource> {
  try {
    return source.kind === 'VolumeSnapshot'
      ? await snapshotSource(claim, source, options)
      : await claimSource(claim, source, options);
  } catch (error) {
    if (!(error instanceof NotReadyError)) throw error;
    throw new NotReadyError(
      `error getting handle for DataSource Type ${source.kind} by Name ${source.name}: ${messageOf(error)}`,
    );
  }
}

async function claimSource(
  claim: Claim,
  { name }: DataSource,
  { storageClass, context }: SourceOptions,
): Promise<ContentSource> {
  const { namespace } = claim.metadata;
  const claims = context.objects(PersistentVolumeClaim);
  const source = claims.get(`${namespace}/${name}`);
  if (source === undefined)
    throw new NotReadyError(
      `error getting PVC ${name} (namespace "${namespace}") from api server: persistentvolumeclaim "${name}" not found`,
    );
  if (source.status?.phase !== 'Bound')
    throw new NotReadyError(
      `the PVC DataSource ${name} must have a status of Bound.  Got ${source.status?.phase ?? 'no phase'}`,
    );
  if (source.metadata.deletionTimestamp !== undefined)
    throw new NotReadyError(`the PVC DataSource ${name} is currently being deleted`);
  const [wanted, present] = [requestOf(claim).value(), requestOf(source).value()];
  if (wanted < present)
    throw new NotReadyError(
      `error, new PVC request must be greater than or equal in size to the specified PVC data source, requested ${wanted} but source is ${present}`,
    );
  const volume = context.objects(PersistentVolume).get(source.spec?.volumeName ?? '');
  const { csi, claimRef, volumeMode = 'Filesystem' } = volume?.spec ?? {};
  const isBound = claimRef?.uid === source.metadata.uid && volume?.status?.phase === 'Bound';
  if (csi?.driver !== storageClass.provisioner || !isBound)
    throw new NotReadyError('claim in dataSource not bound or invalid');
  const mode = claim.spec?.volumeMode ?? 'Filesystem';
  if (mode !== volumeMode)
    throw new NotReadyError(
      `the source PVC and destination PVCs must have the same volume mode for cloning.  Source is ${volumeMode}, but new PVC requested ${mode}`,
    );
  const { finalizers = [], resourceVersion } = source.metadata;
  if (!finalizers.includes(CLONE_FINALIZER))
    await claims.patch(
      `${namespace}/${name}`,
      mergePatch({ metadata: { resourceVersion, finalizers: [...finalizers, CLONE_FINALIZER] } }),
    );
  return { type: 'volume', volumeId: csi.volumeHandle };
}

async function snapshotSource(
  claim: Claim,
  { name }: DataSource,
  { storageClass, keepsMode, context: { client } }: SourceOptions,
): Promise<ContentSource> {
  const { namespace = '' } = claim.metadata;
  const snapshot = await found(client.kind(VolumeSnapshot).namespace(namespace).get(name), (message) => {
    return `error getting snapshot ${name} from api server: ${message}`;
  });
  const { finalizers = [], deletionTimestamp, uid } = snapshot.metadata;
  if (deletionTimestamp !== undefined && !finalizers.includes(RESTORE_FINALIZER))
    throw new NotReadyError(`snapshot ${name} is being deleted`);
  const contentName = snapshot.status?.boundVolumeSnapshotContentName;
  if (contentName === undefined) throw new NotReadyError(`snapshot ${name} not bound`);
  const content = await found(client.kind(VolumeSnapshotContent).get(contentName), () => {
    return `error getting snapshotcontent ${contentName} for snapshot ${name}`;
  });
  const { volumeSnapshotRef: ref, driver, sourceVolumeMode } = content.spec;
  if (ref.uid !== uid || ref.namespace !== namespace || ref.name !== name)
    throw new NotReadyError(`snapshotcontent ${contentName} for snapshot ${name} is bound to a different snapshot`);
  if (driver !== storageClass.provisioner)
    throw new NotReadyError(
      `snapshotcontent ${contentName} for snapshot ${name} is not handled by CSI driver of StorageClass ${storageClass.metadata.name}`,
    );
  if (snapshot.status?.readyToUse !== true) throw new NotReadyError(`snapshot ${name} is not Ready`);
  const snapshotId = content.status?.snapshotHandle;
  if (snapshotId === undefined) throw new NotReadyError(`snapshot handle ${name} is not available`);
  const size = parseQuantity(snapshot.status.restoreSize ?? '0');
  const [wanted, needed] = [requestOf(claim).value(), size instanceof ValueError ? 0 : size.value()];
  if (wanted < needed)
    throw new NotReadyError(
      `requested volume size ${wanted} is less than the size ${needed} for the source snapshot ${name}`,
    );
  const mode = claim.spec?.volumeMode;
  if (keepsMode && sourceVolumeMode !== undefined && mode !== undefined && mode !== sourceVolumeMode)
    checkModeChange(claim, content.metadata.name, content.metadata.annotations?.[ALLOWS_MODE_CHANGE]);
  if (!finalizers.includes(RESTORE_FINALIZER))
    await protectSnapshot(client, snapshot, [...finalizers, RESTORE_FINALIZER]);
  return { type: 'snapshot', snapshotId };
}

function checkModeChange({ metadata }: Claim, content: string, allowed: string | undefined): void {
  if (allowed !== undefined && /^(1|t|T|true|TRUE|True)$/.test(allowed)) return;
  const claim = `requested volume ${metadata.namespace}/${metadata.name} modifies the mode of the source volume but does not have permission to do so.`;
  throw new NotReadyError(
    allowed === undefined
      ? `${claim} ${ALLOWS_MODE_CHANGE} annotation is not present on snapshotcontent ${content}`
      : `${claim} ${ALLOWS_MODE_CHANGE} is set to false on snapshotcontent ${content}`,
  );
}

async function found<T>(reading: Promise<T>, describe: (message: string) => string): Promise<T> {
  try {
    return await reading;
  } catch (error) {
    throw new NotReadyError(describe(messageOf(error)));
  }
}

/** Programs that may not write snapshots go on without the protection. */
async function protectSnapshot(
  client: Client,
  { metadata }: Observed<VolumeSnapshot>,
  finalizers: readonly string[],
): Promise<void> {
  const { name, namespace = '', resourceVersion } = metadata;
  const patch = mergePatch({ metadata: { resourceVersion, finalizers: finalizers.length === 0 ? null : finalizers } });
  try {
    await client.kind(VolumeSnapshot).namespace(namespace).patch(name, patch);
  } catch (error) {
    if (!hasReason(error, 'Forbidden') && !hasReason(error, 'NotFound')) throw error;
  }
}

/** Removes the protection of a snapshot after no claim waits for a copy of it any more. */
export async function releaseSnapshot(
  claim: Claim,
  { name }: DataSource,
  { client, objects }: Pick<ReconcileContext, 'client' | 'objects'>,
): Promise<void> {
  const { namespace = '', uid } = claim.metadata;
  const isWaitedFor = objects(PersistentVolumeClaim)
    .list({ namespace })
    .some(
      ({ metadata, spec }) =>
        metadata.uid !== uid &&
        (spec?.volumeName ?? '') === '' &&
        spec?.dataSource?.kind === 'VolumeSnapshot' &&
        spec.dataSource.name === name,
    );
  if (isWaitedFor) return;
  try {
    const snapshot = await client.kind(VolumeSnapshot).namespace(namespace).get(name);
    const { finalizers = [] } = snapshot.metadata;
    if (!finalizers.includes(RESTORE_FINALIZER)) return;
    await protectSnapshot(
      client,
      snapshot,
      finalizers.filter((each) => each !== RESTORE_FINALIZER),
    );
  } catch (error) {
    if (!hasReason(error, 'NotFound')) throw error;
  }
}
