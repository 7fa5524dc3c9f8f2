import type { AllocatedDeviceStatus } from '../../api/types/resource/v1.d.ts';
import { KeyedTurns, messageOf } from '../../base/index.ts';
import { type Client, type Observed, type ResourceClaim } from '../../client/index.ts';
import { DiskCheckpoints } from '../../system/index.ts';
import { CdiFolder } from '../cdi/cdi-folder.ts';
import type { CdiEdits, CdiSpec } from '../cdi/cdi-spec.ts';
import type { DraDevice } from './dra-device.ts';
import { type DevicePools, NODE_POOL } from './dra-pools.ts';
import type { DeviceAccess } from './device-plugin.ts';

/** A device that was allocated to a claim. */
export interface AllocatedDevice {
  readonly name: string;
  readonly pool: string;
  /** The request of the claim, or `REQUEST/SUBREQUEST` for an alternative of it. */
  readonly request: string;
  /** As the driver publishes it; undefined for one that it does not publish any more, when a claim is unprepared. */
  readonly device: DraDevice | undefined;
  /** True when the device was given for supervision, while others use it too. */
  readonly hasAdminAccess: boolean;
  /** Tells apart several shares of one device. */
  readonly shareId: string | undefined;
  /** What is taken of a shared device, by the name of the capacity. */
  readonly consumedCapacity: Readonly<Record<string, string>>;
  /** Settings for the driver: those of the class, then those of the claim. */
  readonly config: readonly unknown[];
}

/** The claim that a call is about. */
export interface ClaimName {
  readonly uid: string;
  readonly name: string;
  readonly namespace: string;
}

/** What a driver says about a device in the status of the claim. */
export interface ClaimDeviceStatus extends Pick<AllocatedDeviceStatus, 'conditions' | 'data' | 'networkData'> {
  readonly device: AllocatedDevice;
}

/** A call of the node to prepare devices of a claim. */
export interface PrepareCall {
  readonly claim: Observed<ResourceClaim>;
  /** Aborts when the driver is stopped. */
  readonly signal: AbortSignal;
  /** Writes what the driver says about devices to the status of the claim; devices that are left out lose what it said before. */
  setStatus(devices: readonly ClaimDeviceStatus[]): Promise<void>;
}

/** A call of the node to unprepare devices of a claim. The claim itself may be gone. */
export interface UnprepareCall {
  readonly claim: ClaimName;
  readonly signal: AbortSignal;
}

/** How a container uses the devices of a request; written as a file of the Container Device Interface. */
export interface ClaimAccess extends Omit<DeviceAccess, 'annotations'> {
  /** Programs that the runtime runs for the container. */
  readonly hooks?: CdiEdits['hooks'];
}

export interface ClaimWork {
  prepare(devices: readonly AllocatedDevice[], call: PrepareCall): ClaimAccess | Promise<ClaimAccess>;
  readonly unprepare?: (devices: readonly AllocatedDevice[], call: UnprepareCall) => void | Promise<void>;
}

export interface DraClaimsParts {
  readonly client: Client;
  readonly driver: string;
  readonly node: string;
  readonly pools: DevicePools;
  readonly work: ClaimWork;
  /** The folder of the driver. */
  readonly folder: string;
  readonly cdiDir: string;
  readonly signal: AbortSignal;
}

/** A device as it was prepared. */
export interface PreparedRecord extends Omit<AllocatedDevice, 'device'> {
  readonly cdiDevices: readonly string[];
}

interface ClaimRecord extends ClaimName {
  /** False while the work of the driver has begun and is not known to be done. */
  readonly isPrepared: boolean;
  readonly devices: readonly PreparedRecord[];
}

/** The name of the file in which the driver notes what it has prepared. */
const CHECKPOINT = 'claims.json';
const EXTENSION = '.json';
/** Far more than pods fit on a node. */
const MAX_CLAIMS = 10_000;

/**
 * The claims that a driver has prepared, as noted on the disk: what was begun is noted before the work, so that a driver that dies at any moment can
 * finish or undo it.
 *
 * Guarantees: preparing again gives the same answer; unpreparing what is not prepared does nothing; no device is given to two claims, but
 * for supervision or as shares.
 */
export class DraClaims {
  readonly #parts: DraClaimsParts;
  readonly #checkpoints: DiskCheckpoints;
  readonly #cdi: CdiFolder;
  readonly #turns = new KeyedTurns();
  readonly #records = new Map<string, ClaimRecord>();

  private constructor(parts: DraClaimsParts) {
    this.#parts = parts;
    this.#checkpoints = new DiskCheckpoints(parts.folder);
    this.#cdi = new CdiFolder(parts.cdiDir);
  }

  /** Reads what an earlier run has prepared, and removes CDI files that belong to no claim. */
  static async open(parts: DraClaimsParts): Promise<DraClaims> {
    const claims = new DraClaims(parts);
    const text = await claims.#checkpoints.read(CHECKPOINT);
    const records = text === undefined ? [] : (JSON.parse(text) as readonly ClaimRecord[]);
    for (const record of records) claims.#records.set(record.uid, record);
    for (const name of await claims.#cdi.names())
      if (
        name.startsWith(claims.#filePrefix()) &&
        !claims.#records.has(name.slice(claims.#filePrefix().length, -EXTENSION.length))
      )
        await claims.#cdi.remove(name);
    return claims;
  }

  prepare(claim: ClaimName): Promise<readonly PreparedRecord[]> {
    return this.#turns.take(claim.uid, async () => {
      const known = this.#records.get(claim.uid);
      if (known?.isPrepared === true && (await this.#hasFile(known))) return known.devices;
      const object = await this.#read(claim);
      const devices = this.#allocated(object);
      this.#note({ ...claim, isPrepared: false, devices: devices.map((device) => recordOf(device, [])) });
      await this.#store();
      const prepared = await this.#prepare(object, devices);
      this.#records.set(claim.uid, { ...claim, isPrepared: true, devices: prepared });
      await this.#store();
      return prepared;
    });
  }

  unprepare(claim: ClaimName): Promise<void> {
    return this.#turns.take(claim.uid, async () => {
      const known = this.#records.get(claim.uid);
      if (known === undefined) return;
      const { work, signal } = this.#parts;
      const devices = known.devices.map(({ cdiDevices: _, ...device }) => ({
        ...device,
        device: this.#device(device),
      }));
      await work.unprepare?.(devices, { claim, signal });
      await this.#cdi.remove(this.#fileOf(claim.uid));
      this.#records.delete(claim.uid);
      await this.#store();
    });
  }

  async #read({ uid, name, namespace }: ClaimName): Promise<Observed<ResourceClaim>> {
    const { client, signal } = this.#parts;
    const found = await client.resource.v1.resourceclaims
      .namespace(namespace)
      .get(name, { signal })
      .catch((error: unknown) => {
        throw new Error(`retrieve claim ${namespace}/${name}: ${messageOf(error)}`, { cause: error });
      });
    if (found.metadata.uid !== uid) throw new Error(`claim ${namespace}/${name} got replaced`);
    if (found.status?.allocation === undefined) throw new Error(`claim ${namespace}/${name} not allocated`);
    return found;
  }

  /** The devices of this driver; throws for those that it does not have, or that another claim has. */
  #allocated({ metadata, status }: Observed<ResourceClaim>): readonly AllocatedDevice[] {
    const { driver } = this.#parts;
    const { results = [], config = [] } = status?.allocation?.devices ?? {};
    const own = results.filter((result) => result.driver === driver);
    if (own.length === 0) throw new Error(`no device of driver ${driver} is allocated`);
    return own.map((result): AllocatedDevice => {
      const { device: name, pool, request, adminAccess = false, shareID, consumedCapacity = {} } = result;
      const device = this.#device({ name, pool });
      if (device === undefined) throw new Error(`there is no device "${name}" in pool "${pool}"`);
      const isExclusive = !adminAccess && shareID === undefined && device.allowMultipleAllocations !== true;
      const other = isExclusive ? this.#holderOf({ name, pool }, metadata.uid) : undefined;
      if (other !== undefined)
        throw new Error(`device "${name}" is in use by the claim ${other.namespace}/${other.name}`);
      const [main = ''] = request.split('/');
      const settings = config
        .filter(({ requests = [], opaque }) => {
          const isMeant = requests.length === 0 || requests.includes(request) || requests.includes(main);
          return isMeant && opaque?.driver === driver;
        })
        .map(({ opaque }): unknown => opaque?.parameters);
      return {
        ...{ name, pool, request, device, consumedCapacity, config: settings },
        ...{ hasAdminAccess: adminAccess, shareId: shareID },
      };
    });
  }

  #holderOf({ name, pool }: Pick<AllocatedDevice, 'name' | 'pool'>, uid: string): ClaimRecord | undefined {
    return [...this.#records.values()].find(
      (record) =>
        record.uid !== uid &&
        record.devices.some(
          (device) =>
            device.name === name && device.pool === pool && !device.hasAdminAccess && device.shareId === undefined,
        ),
    );
  }

  async #prepare(
    claim: Observed<ResourceClaim>,
    devices: readonly AllocatedDevice[],
  ): Promise<readonly PreparedRecord[]> {
    const { work, signal } = this.#parts;
    const { uid } = claim.metadata;
    const call: PrepareCall = { claim, signal, setStatus: (statuses) => this.#setStatus(claim, statuses) };
    const prepared = new Map<AllocatedDevice, PreparedRecord>();
    const written: CdiSpec['devices'][number][] = [];
    for (const request of new Set(devices.map((device) => device.request))) {
      const own = devices.filter((device) => device.request === request);
      const access = await work.prepare(own, call);
      const containerEdits = cdiEditsOf(access);
      for (const device of own) {
        const name = uniqueName(`${uid}-${device.name}`, written);
        const isWritten = Object.keys(containerEdits).length > 0; // runtimes refuse devices that change nothing
        if (isWritten) written.push({ name, containerEdits });
        const names = [...(isWritten ? [`${this.#kind()}=${name}`] : []), ...(access.cdiDevices ?? [])];
        prepared.set(device, recordOf(device, names));
      }
    }
    const file = this.#fileOf(uid);
    if (written.length === 0) await this.#cdi.remove(file);
    else await this.#cdi.write(file, { cdiVersion: '0.5.0', kind: this.#kind(), devices: written });
    return devices.flatMap((device) => prepared.get(device) ?? []);
  }

  async #setStatus(
    { metadata: { name, namespace = '', uid } }: Observed<ResourceClaim>,
    statuses: readonly ClaimDeviceStatus[],
  ): Promise<void> {
    const { client, driver, signal } = this.#parts;
    const devices = statuses.map(({ device: { name: device, pool, shareId }, ...said }): AllocatedDeviceStatus => ({
      ...{ driver, pool, device },
      ...(shareId === undefined ? {} : { shareID: shareId }),
      ...said,
    }));
    await client.resource.v1.resourceclaims
      .namespace(namespace)
      .status.apply(
        { metadata: { name, uid }, spec: {}, status: { devices } },
        { fieldManager: driver, force: true, signal },
      );
  }

  #device({ name, pool }: Pick<AllocatedDevice, 'name' | 'pool'>): DraDevice | undefined {
    const { pools, node } = this.#parts;
    return pools.get(name, { pool: pool === node ? NODE_POOL : pool });
  }

  #note(record: ClaimRecord): void {
    if (!this.#records.has(record.uid) && this.#records.size >= MAX_CLAIMS)
      throw new Error(`there are ${MAX_CLAIMS} prepared claims already`);
    this.#records.set(record.uid, record);
  }

  /** Whether the file of a prepared claim is as it was written; another program may have removed it. */
  async #hasFile({ uid, devices }: ClaimRecord): Promise<boolean> {
    const prefix = `${this.#kind()}=`;
    const isNeeded = devices.some(({ cdiDevices }) => cdiDevices.some((name) => name.startsWith(prefix)));
    return !isNeeded || (await this.#cdi.read(this.#fileOf(uid)))?.problems.length === 0;
  }

  #store(): Promise<void> {
    return this.#checkpoints.write(CHECKPOINT, JSON.stringify([...this.#records.values()]));
  }

  /** The vendor of a kind begins with a letter, and names of drivers need not. */
  #kind(): string {
    return `k8s.${this.#parts.driver}/claim`;
  }

  #filePrefix(): string {
    return `k8s.${this.#parts.driver}-claim-`;
  }

  #fileOf(uid: string): string {
    return `${this.#filePrefix()}${uid}${EXTENSION}`;
  }
}

function recordOf({ device: _, ...device }: AllocatedDevice, cdiDevices: readonly string[]): PreparedRecord {
  return { ...device, cdiDevices };
}

/** A device may be allocated to a claim twice: for two requests, or as two shares. */
function uniqueName(name: string, taken: readonly { readonly name: string }[]): string {
  const count = taken.filter((each) => each.name === name || each.name.startsWith(`${name}_`)).length;
  return count === 0 ? name : `${name}_${count}`;
}

function cdiEditsOf({ env = {}, devices = [], mounts = [], hooks = [] }: ClaimAccess): CdiEdits {
  const variables = Object.entries(env).map(([key, value]) => `${key}=${value}`);
  return {
    ...(variables.length === 0 ? {} : { env: variables }),
    ...(devices.length === 0
      ? {}
      : {
          deviceNodes: devices.map(({ hostPath, containerPath = hostPath, permissions = 'rw' }) => ({
            ...{ path: containerPath, hostPath, permissions },
          })),
        }),
    ...(mounts.length === 0
      ? {}
      : {
          mounts: mounts.map(({ hostPath, containerPath = hostPath, readOnly = false }) => ({
            ...{ hostPath, containerPath, options: [readOnly ? 'ro' : 'rw', 'nosuid', 'nodev', 'bind'] },
          })),
        }),
    ...(hooks.length === 0 ? {} : { hooks }),
  };
}
