import { goChecksum } from '../../node/index.ts';
import type { Checkpoints } from '../../node/index.ts';

/** The name that a kubelet gives the file. */
export const DEVICE_CHECKPOINT = 'kubelet_internal_checkpoint';

/** What a container has of one resource. */
export interface DeviceEntry {
  readonly podUid: string;
  readonly container: string;
  readonly resource: string;
  /** Device ids by NUMA node; -1 for devices that are near to none. */
  readonly ids: ReadonlyMap<number, readonly string[]>;
  /** The plugin's answer: a `ContainerAllocateResponse`. */
  readonly answer: Uint8Array;
}

export interface DeviceState {
  readonly entries: readonly DeviceEntry[];
  /** The healthy devices of each resource. */
  readonly registered: ReadonlyMap<string, readonly string[]>;
}

interface Entry {
  readonly PodUID: string;
  readonly ContainerName: string;
  readonly ResourceName: string;
  readonly DeviceIDs: Readonly<Record<string, readonly string[] | null>> | null;
  readonly AllocResp: string;
}

interface Data {
  readonly PodDeviceEntries: readonly Entry[] | null;
  readonly RegisteredDevices: Readonly<Record<string, readonly string[] | null>> | null;
}

/** Stores which devices containers have, in a kubelet's file and format. */
export class DeviceCheckpoint {
  readonly #checkpoints: Checkpoints;

  constructor(checkpoints: Checkpoints) {
    this.#checkpoints = checkpoints;
  }

  /** Undefined when nothing was stored. Throws on a file that is damaged. */
  async read(): Promise<DeviceState | undefined> {
    const text = await this.#checkpoints.read(DEVICE_CHECKPOINT);
    if (text === undefined) return undefined;
    const { Data: data, Checksum } = JSON.parse(text) as { readonly Data?: Data; readonly Checksum?: number };
    if (data === undefined || checksumOf(data) !== Checksum) throw new Error('checkpoint is corrupted');
    const entries = (data.PodDeviceEntries ?? []).map((entry): DeviceEntry => ({
      podUid: entry.PodUID,
      container: entry.ContainerName,
      resource: entry.ResourceName,
      ids: new Map(Object.entries(entry.DeviceIDs ?? {}).map(([node, ids]) => [Number(node), ids ?? []])),
      answer: Uint8Array.from(Buffer.from(entry.AllocResp, 'base64')),
    }));
    const registered = Object.entries(data.RegisteredDevices ?? {}).map(([name, ids]) => [name, ids ?? []] as const);
    return { entries, registered: new Map(registered) };
  }

  async write({ entries, registered }: DeviceState): Promise<void> {
    const list = entries.map((entry): Entry => ({
      PodUID: entry.podUid,
      ContainerName: entry.container,
      ResourceName: entry.resource,
      DeviceIDs: Object.fromEntries(entry.ids),
      AllocResp: Buffer.from(entry.answer).toString('base64'),
    }));
    const data: Data = {
      PodDeviceEntries: list.length === 0 ? null : list,
      RegisteredDevices: Object.fromEntries(registered),
    };
    await this.#checkpoints.write(DEVICE_CHECKPOINT, JSON.stringify({ Data: data, Checksum: checksumOf(data) }));
  }
}

/** Over the content as Go prints the kubelet's struct. */
function checksumOf({ PodDeviceEntries, RegisteredDevices }: Data): number {
  const entries =
    PodDeviceEntries === null ? '<nil>' : `[${PodDeviceEntries.map((entry) => `{${goEntry(entry)}}`).join(' ')}]`;
  const registered = goMap(RegisteredDevices, (left, right) => (left < right ? -1 : 1));
  return goChecksum(
    `(checkpoint.checkpointData){PodDeviceEntries:([]checkpoint.PodDevicesEntry)${entries} RegisteredDevices:(map[string][]string)${registered}}`,
  );
}

function goEntry({ PodUID, ContainerName, ResourceName, DeviceIDs, AllocResp }: Entry): string {
  const ids = goMap(DeviceIDs, (left, right) => Number(left) - Number(right));
  const bytes = [...Buffer.from(AllocResp, 'base64')].join(' ');
  return `PodUID:(string)${PodUID} ContainerName:(string)${ContainerName} ResourceName:(string)${ResourceName} DeviceIDs:(checkpoint.DevicesPerNUMA)${ids} AllocResp:([]uint8)[${bytes}]`;
}

function goMap(
  map: Readonly<Record<string, readonly string[] | null>> | null,
  order: (left: string, right: string) => number,
): string {
  if (map === null) return '<nil>';
  const entries = Object.entries(map).toSorted(([left], [right]) => order(left, right));
  return `map[${entries.map(([key, list]) => `${key}:${list === null ? '<nil>' : `[${list.join(' ')}]`}`).join(' ')}]`;
}
