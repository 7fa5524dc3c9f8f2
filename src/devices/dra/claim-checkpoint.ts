import { crc32 } from 'node:zlib';
import type { Checkpoints } from '../../node/index.ts';

/** The name that a kubelet gives the file. */
export const CLAIM_CHECKPOINT = 'dra_manager_state';

/** A device as its driver has prepared it. */
export interface PreparedDevice {
  readonly pool: string;
  readonly device: string;
  readonly shareId: string | undefined;
  /** Requests of the claim that the device is for; empty for all. */
  readonly requests: readonly string[];
  readonly cdiDevices: readonly string[];
}

/** A claim that pods of the node use. */
export interface ClaimState {
  readonly uid: string;
  readonly name: string;
  readonly namespace: string;
  readonly podUids: ReadonlySet<string>;
  /** By driver, with all drivers that the claim has devices of. */
  readonly drivers: ReadonlyMap<string, readonly PreparedDevice[]>;
}

interface StoredDevice {
  readonly PoolName: string;
  readonly DeviceName: string;
  readonly ShareID: string | null;
  readonly RequestNames: readonly string[] | null;
  readonly CDIDeviceIDs: readonly string[] | null;
}

interface StoredClaim {
  readonly ClaimUID: string;
  readonly ClaimName: string;
  readonly Namespace: string;
  readonly PodUIDs: Readonly<Record<string, object>> | null;
  readonly DriverState: Readonly<Record<string, { readonly Devices: readonly StoredDevice[] | null }>> | null;
}

/** Stores which claims pods use, in a kubelet's file and format. */
export class ClaimCheckpoint {
  readonly #checkpoints: Checkpoints;

  constructor(checkpoints: Checkpoints) {
    this.#checkpoints = checkpoints;
  }

  /** Throws on a file that is damaged: drivers have to unprepare what is in it. */
  async read(): Promise<readonly ClaimState[]> {
    const text = await this.#checkpoints.read(CLAIM_CHECKPOINT);
    if (text === undefined) return [];
    const { Data: data = '', Checksum } = JSON.parse(text) as { readonly Data?: string; readonly Checksum?: number };
    if (crc32(data) !== Checksum)
      throw new Error(
        `Cannot use the checkpoint "${CLAIM_CHECKPOINT}": its checksum is ${Checksum}, not that of its content`,
      );
    const { ClaimInfoStateList: list } = JSON.parse(data) as {
      readonly ClaimInfoStateList: readonly StoredClaim[] | null;
    };
    return (list ?? []).map(claimOf);
  }

  async write(claims: Iterable<ClaimState>): Promise<void> {
    const list = [...claims].map(storedOf);
    const data = JSON.stringify({
      kind: 'DRACheckpoint',
      apiVersion: 'checkpoint.dra.kubelet.k8s.io/v1',
      ClaimInfoStateList: list.length === 0 ? null : list,
    });
    await this.#checkpoints.write(CLAIM_CHECKPOINT, JSON.stringify({ Data: data, Checksum: crc32(data) }));
  }
}

function claimOf({ ClaimUID, ClaimName, Namespace, PodUIDs, DriverState }: StoredClaim): ClaimState {
  const drivers = Object.entries(DriverState ?? {}).map(([driver, { Devices }]) => {
    const devices = (Devices ?? []).map((each): PreparedDevice => ({
      pool: each.PoolName,
      device: each.DeviceName,
      shareId: each.ShareID ?? undefined,
      requests: each.RequestNames ?? [],
      cdiDevices: each.CDIDeviceIDs ?? [],
    }));
    return [driver, devices] as const;
  });
  return {
    uid: ClaimUID,
    name: ClaimName,
    namespace: Namespace,
    podUids: new Set(Object.keys(PodUIDs ?? {})),
    drivers: new Map(drivers),
  };
}

function storedOf({ uid, name, namespace, podUids, drivers }: ClaimState): StoredClaim {
  const state = [...drivers].map(([driver, devices]) => {
    const list = devices.map((each): StoredDevice => ({
      PoolName: each.pool,
      DeviceName: each.device,
      ShareID: each.shareId ?? null,
      RequestNames: each.requests,
      CDIDeviceIDs: each.cdiDevices,
    }));
    return [driver, { Devices: list.length === 0 ? null : list }] as const;
  });
  return {
    ClaimUID: uid,
    ClaimName: name,
    Namespace: namespace,
    PodUIDs: Object.fromEntries([...podUids].map((each) => [each, {}])),
    DriverState: Object.fromEntries(state),
  };
}
