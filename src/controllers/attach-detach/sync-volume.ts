import type { DeepReadonly } from '../../base/index.ts';
import {
  attachmentName,
  csiSourceOf,
  type DriverHandle,
  inlineVolumeOf,
  isAttachRequired,
  isMultiAttachAllowed,
  uniqueVolumeName,
} from '../../api/meaning/index.ts';
import {
  hasReason,
  type Observed,
  type PersistentVolume,
  type Pod,
  type VolumeAttachment,
} from '../../client/index.ts';
import {
  type AttachAttempt,
  type AttachParts,
  attachmentsByVolume,
  isInlineKey,
  placeKey,
  podsByInlineVolume,
  volumeKeyOf,
} from './attach-parts.ts';
import { recordConflict } from './multi-attach.ts';
import { detachDelayMs } from './safe-to-detach.ts';
import { boundPodsOf, inlinePodsOf } from './wanting-pods.ts';

/** A PersistentVolume, or one that stands for a volume that pods describe themselves. */
type Volume = DeepReadonly<PersistentVolume> & { readonly metadata: { readonly name: string } };
type Attachment = Observed<VolumeAttachment>;
type PodsByNode = ReadonlyMap<string, readonly Observed<Pod>[]>;

/** After this time without an answer from the driver, the pods get a timeout event. */
const ATTACH_TIMEOUT_MS = 120_000;

/**
 * Attaches the volume to the nodes of its pods and detaches it from others. Returns the delay until the next check. The key is that of
 * `volumeKeyOf`.
 */
export async function syncVolume(key: string, parts: AttachParts): Promise<number> {
  const { volume, pods } = isInlineKey(key) ? inlineVolume(key, parts) : persistentVolume(key, parts);
  const handle = csiSourceOf(volume) ?? parts.memory.handles.get(key) ?? inlineHandle(key, parts);
  if (handle === undefined) return Infinity;
  const present = attachmentsOf(key, handle, parts);
  if (present.length === 0) parts.memory.handles.delete(key);
  else parts.memory.handles.set(key, handle);
  const isWanted = volume !== undefined && isAttachRequired(parts.drivers.get(handle.driver));
  const wanted: PodsByNode = isWanted ? pods() : new Map();
  const delays: number[] = [];
  for (const attachment of present) {
    const users = wanted.get(attachment.spec.nodeName);
    if (volume === undefined || users === undefined) delays.push(await detach(attachment, handle, parts));
    else delays.push(watchAttachment(attachment, { key, volume, handle, pods: users }, parts));
  }
  if (volume !== undefined)
    for (const [node, users] of wanted)
      if (!present.some(({ spec }) => spec.nodeName === node))
        delays.push(await attach(node, { key, volume, handle, pods: users, present, wanted }, parts));
  return Math.min(Infinity, ...delays);
}

/** What may have to be attached, and the pods that need it. */
interface Subject {
  readonly volume: Volume | undefined;
  pods(): PodsByNode;
}

function persistentVolume(name: string, parts: AttachParts): Subject {
  const volume = parts.volumes.get(name);
  return { volume, pods: () => (volume === undefined ? new Map() : boundPodsOf(volume, parts)) };
}

function inlineVolume(key: string, parts: AttachParts): Subject {
  const described = parts.pods
    .byIndex(podsByInlineVolume, key)
    .flatMap(({ metadata, spec }) =>
      (spec?.volumes ?? []).map((volume) => inlineVolumeOf(volume, metadata.namespace ?? '')),
    );
  const volume = described.find((each) => each !== undefined && uniqueVolumeName(each.spec.csi) === key);
  return { volume, pods: () => inlinePodsOf(key, parts) };
}

/** The handle of a volume that no pod describes any more, from what is attached. */
function inlineHandle(key: string, { attachments }: AttachParts): DriverHandle | undefined {
  return attachments.byIndex(attachmentsByVolume, key)[0]?.spec.source.inlineVolumeSpec?.csi;
}

/** The attachments with the names that this controller would choose; others belong to other components. */
function attachmentsOf(volume: string, handle: DriverHandle, { attachments }: AttachParts): Attachment[] {
  return attachments
    .byIndex(attachmentsByVolume, volume)
    .filter((each) => each.metadata.name === attachmentName(handle, each.spec.nodeName));
}

interface AttachRequest {
  readonly key: string;
  readonly volume: Volume;
  readonly handle: DriverHandle;
  readonly pods: readonly Observed<Pod>[];
}

async function attach(
  nodeName: string,
  request: AttachRequest & { readonly present: readonly Attachment[]; readonly wanted: PodsByNode },
  parts: AttachParts,
): Promise<number> {
  const { volume, handle, present } = request;
  const { name } = volume.metadata;
  const key = placeKey(request.key, nodeName);
  if (!isMultiAttachAllowed(volume) && present.length > 0) {
    if (!parts.memory.reported.has(key)) recordConflict({ ...request, volume: name }, parts.events);
    parts.memory.reported.add(key);
    return Infinity;
  }
  parts.memory.reported.delete(key);
  parts.memory.attempts.set(key, attemptOf(request.pods, parts.clock.now()));
  await parts.attachments
    .create({
      metadata: { name: attachmentName(handle, nodeName) },
      spec: {
        attacher: handle.driver,
        nodeName,
        source: isInlineKey(request.key) ? { inlineVolumeSpec: volume.spec } : { persistentVolumeName: name },
      },
    })
    .catch((error: unknown) => {
      if (!hasReason(error, 'AlreadyExists')) throw error;
    });
  return ATTACH_TIMEOUT_MS;
}

function attemptOf(pods: readonly Observed<Pod>[], sinceMs: number): AttachAttempt {
  return { sinceMs, pods: new Set(pods.map(({ metadata }) => metadata.uid)) };
}

/** Records events about the attachment's outcome on its pods. */
function watchAttachment(attachment: Attachment, request: AttachRequest, parts: AttachParts): number {
  const { memory, clock } = parts;
  const key = placeKey(request.key, attachment.spec.nodeName);
  memory.detachSinceMs.delete(key);
  const attempt = memory.attempts.get(key) ?? attemptOf(request.pods, clock.now());
  memory.attempts.set(key, attempt);
  const pods = request.pods.filter(({ metadata }) => attempt.pods.has(metadata.uid));
  const isLeaving = attachment.metadata.deletionTimestamp !== undefined;
  if (!isLeaving && attachment.status?.attached === true) return attached(attachment, { ...request, pods }, parts);
  const problem = isLeaving ? 'volume attachment is being deleted' : attachment.status?.attachError?.message;
  const dueInMs = attempt.sinceMs + ATTACH_TIMEOUT_MS - clock.now();
  if (problem === undefined && dueInMs > 0) return dueInMs;
  const { driver, volumeHandle } = request.handle;
  const late = `timed out waiting for external-attacher of ${driver} CSI driver to attach volume ${volumeHandle}`;
  const message = attachMessage('failed', request.volume, `: ${problem ?? late}`);
  for (const pod of pods) parts.events.event(pod, { type: 'Warning', reason: 'FailedAttachVolume', message });
  parts.metrics.done('volume_attach', driver, { isFine: false, ms: clock.now() - attempt.sinceMs });
  const retryInMs = parts.backoff.nextMs(key);
  memory.attempts.set(key, attemptOf(request.pods, clock.now() + retryInMs));
  return retryInMs;
}

function attached({ spec }: Attachment, request: AttachRequest, parts: AttachParts): number {
  const { memory, backoff, nodes, wakeNode } = parts;
  const key = placeKey(request.key, spec.nodeName);
  const unique = uniqueVolumeName(request.handle);
  const isKnown = nodes.get(spec.nodeName)?.status?.volumesAttached?.some(({ name }) => name === unique) ?? false;
  if (memory.leaving.delete(key) || !isKnown) wakeNode(spec.nodeName);
  const message = attachMessage('succeeded', request.volume, '');
  if (!isKnown && !memory.reported.has(key))
    for (const pod of request.pods) parts.events.event(pod, { reason: 'SuccessfulAttachVolume', message });
  const attempt = memory.attempts.get(key);
  if (!isKnown && !memory.reported.has(key) && attempt !== undefined)
    parts.metrics.done('volume_attach', request.handle.driver, {
      isFine: true,
      ms: parts.clock.now() - attempt.sinceMs,
    });
  memory.reported.add(key);
  backoff.forget(key);
  return Infinity;
}
function attachMessage(what: string, { metadata }: Volume, suffix: string): string {
  return `AttachVolume.Attach ${what} for volume "${metadata.name}" ${suffix}`;
}

/** Removes the volume from the node's status first, then deletes the attachment. */
async function detach(attachment: Attachment, handle: DriverHandle, parts: AttachParts): Promise<number> {
  const { metadata, spec } = attachment;
  const { memory, nodes, attachments } = parts;
  const { nodeName } = spec;
  const key = placeKey(volumeKeyOf(attachment) ?? '', nodeName);
  if (metadata.deletionTimestamp !== undefined) return Infinity;
  const unique = uniqueVolumeName(handle);
  const waitMs = detachDelayMs(unique, { key, nodeName }, parts);
  if (waitMs > 0) return waitMs;
  memory.leaving.add(key);
  if (nodes.get(nodeName)?.status?.volumesAttached?.some(({ name }) => name === unique) === true) {
    parts.wakeNode(nodeName);
    return Infinity;
  }
  await attachments.delete(metadata.name);
  return Infinity;
}
