import { messageOf } from '../../base/index.ts';
import { anyTerm } from '../../api/meaning/index.ts';
import { Node, type Observed } from '../../client/index.ts';
import type { ReconcileContext } from '../../kit/index.ts';
import {
  NotReadyError,
  type SecretParameters,
  secretReference,
  VolumeSnapshot,
  VolumeSnapshotClass,
  type VolumeSnapshotContent,
} from '../volume-provisioner/index.ts';
import { type SourceVolume, sourceVolume } from './snapshot-claims.ts';
import { contentNameOf, DELETION_SECRET, MANAGED_BY } from './snapshot-names.ts';

type Snapshot = Observed<VolumeSnapshot>;
type Context = ReconcileContext;

const SNAPSHOTTER_SECRET: SecretParameters = { title: 'Snapshotter', key: 'snapshotter-secret' };

/** The content of a snapshot; `isDistributed` labels it with the node of its volume. */
export function newContent(
  snapshot: Snapshot,
  isDistributed: boolean,
  context: Context,
): VolumeSnapshotContent & { readonly metadata: { readonly name: string } } {
  const { metadata, spec } = snapshot;
  const { name, namespace = '', uid, resourceVersion } = metadata;
  const contentName = contentNameOf(snapshot);
  const className = spec.volumeSnapshotClassName ?? '';
  const snapshotClass = context.objects(VolumeSnapshotClass).get(className);
  const input = `failed to get input parameters to create snapshot ${name}`;
  if (snapshotClass === undefined)
    throw new NotReadyError(`${input}: "failed to take snapshot ${name} without a snapshot class"`);
  let volume: SourceVolume;
  try {
    volume = sourceVolume(snapshot, context);
  } catch (error) {
    if (!(error instanceof NotReadyError)) throw error;
    throw new NotReadyError(`${input}: ${JSON.stringify(messageOf(error))}`);
  }
  const tokens = { 'volumesnapshotcontent.name': contentName, 'volumesnapshot.namespace': namespace };
  const secret = secretReference(SNAPSHOTTER_SECRET, snapshotClass.parameters ?? {}, {
    namespace: tokens,
    name: { ...tokens, 'volumesnapshot.name': name },
  });
  const manager = isDistributed ? nodeOf(volume, context) : undefined;
  return {
    metadata: {
      name: contentName,
      ...(manager === undefined ? {} : { labels: { [MANAGED_BY]: manager } }),
      ...(secret === undefined
        ? {}
        : {
            annotations: {
              [`${DELETION_SECRET}name`]: secret.name,
              [`${DELETION_SECRET}namespace`]: secret.namespace,
            },
          }),
    },
    spec: {
      volumeSnapshotRef: {
        kind: VolumeSnapshot.kind,
        apiVersion: VolumeSnapshot.apiVersion,
        namespace,
        name,
        uid,
        resourceVersion,
      },
      source: { volumeHandle: volume.volumeHandle },
      volumeSnapshotClassName: className,
      deletionPolicy: snapshotClass.deletionPolicy,
      driver: snapshotClass.driver,
      ...(volume.volumeMode === undefined ? {} : { sourceVolumeMode: volume.volumeMode }),
    },
  };
}

/** The first node from which a volume can be reached; undefined for volumes that are reached from everywhere. */
function nodeOf({ nodeAffinity }: SourceVolume, { objects }: Context): string | undefined {
  if (nodeAffinity?.required === undefined) return undefined;
  const isThere = anyTerm(nodeAffinity.required);
  const names = objects(Node)
    .list()
    .filter(isThere)
    .map(({ metadata }) => metadata.name);
  return names.toSorted()[0];
}
