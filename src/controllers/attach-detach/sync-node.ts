import { deepEqual } from '../../base/index.ts';
import { attachmentName, csiSourceOf, uniqueVolumeName } from '../../api/meaning/index.ts';
import { hasReason, mergePatch } from '../../client/index.ts';
import { type AttachParts, attachmentsByNode, placeKey, volumeKeyOf } from './attach-parts.ts';

/** Writes the node's attached volumes to its status; returns the volumes that were removed from it. */
export async function syncNode(nodeName: string, parts: AttachParts): Promise<string[]> {
  const { nodes, attachments, volumes, memory } = parts;
  const node = nodes.get(nodeName);
  const attached: string[] = [];
  const leaving: string[] = [];
  for (const attachment of attachments.byIndex(attachmentsByNode, nodeName)) {
    const { metadata, spec, status } = attachment;
    const volume = volumeKeyOf(attachment) ?? '';
    const csi = spec.source.inlineVolumeSpec?.csi ?? csiSourceOf(volumes.get(volume));
    if (csi === undefined || metadata.name !== attachmentName(csi, nodeName)) continue;
    if (memory.leaving.has(placeKey(volume, nodeName))) leaving.push(volume);
    else if (status?.attached === true && metadata.deletionTimestamp === undefined)
      attached.push(uniqueVolumeName(csi));
  }
  const direct = parts.direct()?.ofNode(nodeName);
  const wanted = [...attached.map((name) => ({ name, devicePath: '' })), ...(direct?.attached ?? [])];
  if (node !== undefined && !deepEqual(sorted(wanted), sorted(node.status?.volumesAttached ?? []))) {
    const status = { volumesAttached: wanted.length === 0 ? null : sorted(wanted) };
    await nodes.patchStatus(nodeName, mergePatch({ status })).catch((error: unknown) => {
      if (!hasReason(error, 'NotFound')) throw error;
    });
  }
  parts.direct()?.wake(direct?.leaving ?? []);
  return leaving;
}

function sorted<T extends { readonly name: string }>(volumes: readonly T[]): readonly T[] {
  return volumes.toSorted((left, right) => (left.name < right.name ? -1 : 1));
}
