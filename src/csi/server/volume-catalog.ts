import { randomUid, type Random } from '../../base/index.ts';
import { GrpcError } from '../../wire/grpc/index.ts';
import type { CallDetails, CreatedVolume, CsiController, NewVolume } from '../kit/driver-definition.ts';
import type { VolumeRecord } from '../records/records.ts';

type Wanted = Omit<NewVolume, 'id' | 'attachments' | 'context' | 'topology' | 'secrets'>;

/**
 * Volumes as records and as the author's functions make them, kept in step.
 *
 * Guarantees: a volume is recorded as `creating` before the author's function is called, and as `ready` after it has succeeded; it is
 * recorded as `deleting` before it is deleted, and forgotten after. So a crash at any point leaves a record that says what to finish.
 */
export class VolumeCatalog {
  readonly #controller: CsiController;
  readonly #random: Random;

  constructor(controller: CsiController, random: Random) {
    this.#controller = controller;
    this.#random = random;
  }

  /** A volume that is ready; throws NOT_FOUND. */
  async get(id: string): Promise<VolumeRecord> {
    const found = await this.find(id);
    if (found === undefined) throw new GrpcError('NOT_FOUND', `There is no volume "${id}"`);
    return found;
  }

  async find(id: string): Promise<VolumeRecord | undefined> {
    const found = await this.#controller.records.volumes.get(id);
    return found?.state === 'ready' ? found : undefined;
  }

  async list(): Promise<readonly VolumeRecord[]> {
    return (await this.#controller.records.volumes.list()).filter(({ state }) => state === 'ready');
  }

  /** The volume of this name, if one is ready. One that was being deleted is gone after this. */
  async named(name: string, call: CallDetails): Promise<VolumeRecord | undefined> {
    const found = await this.#controller.records.volumes.named(name);
    if (found?.state === 'deleting') await this.delete(found.id, call);
    return found?.state === 'ready' ? found : undefined;
  }

  /** Creates a volume, or finishes what an earlier call has begun. When it fails, what was made is deleted again. */
  async create(wanted: Wanted, call: CallDetails): Promise<VolumeRecord> {
    const { records } = this.#controller;
    const { name, capacityBytes, parameters, source } = wanted;
    const begun = await records.volumes.named(name);
    const record: VolumeRecord = {
      id: begun?.id ?? randomUid(this.#random),
      name,
      state: 'creating',
      capacityBytes,
      parameters,
      context: {},
      ...(source === undefined ? {} : { source }),
      attachments: {},
    };
    await records.volumes.put(record);
    let created: CreatedVolume | void;
    try {
      created = await this.#controller.create({ ...record, ...wanted, secrets: call.secrets }, call);
    } catch (error) {
      await this.delete(record.id, call).catch(() => undefined); // its record stays, and the next try begins with it
      throw error;
    }
    const { topology } = created ?? {};
    const ready: VolumeRecord = {
      ...record,
      state: 'ready',
      capacityBytes: created?.capacityBytes ?? capacityBytes,
      context: created?.context ?? {},
      ...(topology === undefined ? {} : { topology }),
    };
    await records.volumes.put(ready);
    return ready;
  }

  /** Deletes a volume, whatever state it is in. */
  async delete(id: string, call: CallDetails): Promise<void> {
    const { records } = this.#controller;
    const found = await records.volumes.get(id);
    if (found === undefined) return;
    await records.volumes.put({ ...found, state: 'deleting' });
    await this.#controller.delete(found, call);
    await records.volumes.delete(id);
  }

  async put(record: VolumeRecord): Promise<void> {
    await this.#controller.records.volumes.put(record);
  }
}
