import {
  csiSourceOf,
  type DriverHandle,
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
import { type AttachAttempt, type AttachParts, attachmentsByVolume, placeKey } from './attach-parts.ts';
import { attachmentName } from './attachment-name.ts';
import { recordConflict } from './multi-attach.ts';
import { detachDelayMs } from './safe-to-detach.ts';
import { boundPodsOf } from './wanting-pods.ts';

type Volume = Observed<PersistentVolume>;
type Attachment = Observed<VolumeAttachment>;
type PodsByNode = ReadonlyMap<string, readonly Observed<Pod>[]>;

/** After this time without an answer from the driver, the pods get a timeout event. */
const ATTACH_TIMEOUT_MS = 120_000;

/** Attaches the volume to the nodes of its pods and detaches it from others. Returns the delay until the next check. */
export async function syncVolume(name: string, parts: AttachParts): Promise<number> {
  const volume = parts.volumes.get(name);
  const handle = csiSourceOf(volume) ?? parts.memory.handles.get(name);
  if (handle === undefined) return Infinity;
  const present = attachmentsOf(name, handle, parts);
  if (present.length === 0) parts.memory.handles.delete(name);
  else parts.memory.handles.set(name, handle);
  const isWanted = volume !== undefined && isAttachRequired(parts.drivers.get(handle.driver));
  const wanted: PodsByNode = isWanted ? boundPodsOf(volume, parts) : new Map();
  const delays: number[] = [];
  for (const attachment of present) {
    const pods = wanted.get(attachment.spec.nodeName);
    if (volume === undefined || pods === undefined) delays.push(await detach(attachment, handle, parts));
    else delays.push(watchAttachment(attachment, { volume, handle, pods }, parts));
  }
  if (volume !== undefined)
    for (const [node, pods] of wanted)
      if (!present.some(({ spec }) => spec.nodeName === node))
        delays.push(await attach(node, { volume, handle, pods, present, wanted }, parts));
  return Math.min(Infinity, ...delays);
}

/** The attachments with the names that this controller would choose; others belong to other components. */
function attachmentsOf(volume: string, handle: DriverHandle, { attachments }: AttachParts): Attachment[] {
  return attachments
    .byIndex(attachmentsByVolume, volume)
    .filter((each) => each.metadata.name === attachmentName(handle, each.spec.nodeName));
}

interface AttachRequest {
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
  const key = placeKey(name, nodeName);
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
      spec: { attacher: handle.driver, nodeName, source: { persistentVolumeName: name } },
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
  const key = placeKey(request.volume.metadata.name, attachment.spec.nodeName);
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
  const key = placeKey(request.volume.metadata.name, spec.nodeName);
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
async function detach({ metadata, spec }: Attachment, handle: DriverHandle, parts: AttachParts): Promise<number> {
  const { memory, nodes, attachments } = parts;
  const { nodeName } = spec;
  const key = placeKey(spec.source.persistentVolumeName ?? '', nodeName);
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
