import { KeyedTurns } from '../../base/index.ts';
import type { BindingRecord, BrokerRecords, InstanceRecord } from '../records/broker-records.ts';

/** All instances of a broker, in memory and in its records. What is read is what was last put, also while it is written. */
export class InstanceStore {
  readonly #records: BrokerRecords;
  readonly #byId = new Map<string, InstanceRecord>();
  readonly #writes = new KeyedTurns();

  constructor(records: BrokerRecords) {
    this.#records = records;
  }

  /** Reads all records; called once, before anything else. */
  async load(): Promise<readonly InstanceRecord[]> {
    for (const record of await this.#records.list()) this.#byId.set(record.id, record);
    return [...this.#byId.values()];
  }

  get(id: string): InstanceRecord | undefined {
    return this.#byId.get(id);
  }

  put(record: InstanceRecord): Promise<void> {
    this.#byId.set(record.id, record);
    return this.#writes.take(record.id, () => this.#records.put(record));
  }

  delete(id: string): Promise<void> {
    this.#byId.delete(id);
    return this.#writes.take(id, () => this.#records.delete(id));
  }

  /** Puts the instance with the change; nothing when it is gone. */
  async change(id: string, change: (record: InstanceRecord) => InstanceRecord): Promise<void> {
    const record = this.#byId.get(id);
    if (record !== undefined) await this.put(change(record));
  }

  putBinding(instance: string, binding: BindingRecord): Promise<void> {
    return this.change(instance, (record) => ({ ...record, bindings: { ...record.bindings, [binding.id]: binding } }));
  }

  deleteBinding(instance: string, id: string): Promise<void> {
    return this.change(instance, (record) => {
      const { [id]: _, ...bindings } = record.bindings;
      return { ...record, bindings };
    });
  }

  binding(instance: string, id: string): BindingRecord | undefined {
    const bindings = this.#byId.get(instance)?.bindings ?? {};
    return Object.hasOwn(bindings, id) ? bindings[id] : undefined;
  }
}
