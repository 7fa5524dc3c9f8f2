import { deepEqual } from '../../base/index.ts';
import { csiSourceOf, uniqueVolumeName } from '../../api/meaning/index.ts';
import { hasReason, mergePatch } from '../../client/index.ts';
import { type AttachParts, attachmentsByNode, placeKey } from './attach-parts.ts';
import { attachmentName } from './attachment-name.ts';

/** Writes the node's attached volumes to its status; returns the volumes that were removed from it. */
export async function syncNode(nodeName: string, parts: AttachParts): Promise<string[]> {
  const { nodes, attachments, volumes, memory } = parts;
  const node = nodes.get(nodeName);
  const attached: string[] = [];
  const leaving: string[] = [];
  for (const { metadata, spec, status } of attachments.byIndex(attachmentsByNode, nodeName)) {
    const volume = spec.source.persistentVolumeName ?? '';
    const csi = csiSourceOf(volumes.get(volume));
    if (csi === undefined || metadata.name !== attachmentName(csi, nodeName)) continue;
    if (memory.leaving.has(placeKey(volume, nodeName))) leaving.push(volume);
    else if (status?.attached === true && metadata.deletionTimestamp === undefined)
      attached.push(uniqueVolumeName(csi));
  }
  if (node === undefined) return leaving;
  const wanted = attached.toSorted().map((name) => ({ name, devicePath: '' }));
  const present = node.status?.volumesAttached ?? [];
  if (
    deepEqual(
      wanted,
      present.toSorted((left, right) => (left.name < right.name ? -1 : 1)),
    )
  )
    return leaving;
  const status = { volumesAttached: wanted.length === 0 ? null : wanted };
  await nodes.patchStatus(nodeName, mergePatch({ status })).catch((error: unknown) => {
    if (!hasReason(error, 'NotFound')) throw error;
  });
  return leaving;
}
