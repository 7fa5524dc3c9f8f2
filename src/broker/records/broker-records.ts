import type {
  BrokerVerb,
  InstanceMetadata,
  JsonObject,
  OperationState,
  OriginatingIdentity,
  OsbBinding,
} from '../protocol/osb.ts';

/** Work that was begun in the background, and what became of it. */
export interface OperationRecord {
  readonly id: string;
  readonly verb: BrokerVerb;
  readonly state: OperationState;
  readonly description?: string;
  readonly isUsable?: boolean;
  readonly isRepeatable?: boolean;
  /** Who asked for it. */
  readonly originator?: OriginatingIdentity;
  /** Of an update: what the instance is to become. */
  readonly change?: InstanceChange;
}

/** What an update makes of an instance. */
export interface InstanceChange {
  readonly planId: string;
  readonly parameters: JsonObject;
  readonly context: JsonObject;
  readonly maintenanceVersion?: string;
}

/** `failed`: it was not made, or not wholly, and deleting it cleans up. */
export type ResourceState = 'provisioning' | 'ready' | 'updating' | 'deprovisioning' | 'failed';

/** What a broker remembers of a binding. */
export interface BindingRecord {
  readonly id: string;
  readonly planId: string;
  readonly parameters: JsonObject;
  /** As the platform sent it: the application, the route. */
  readonly resource: JsonObject;
  readonly context: JsonObject;
  readonly predecessor?: string;
  readonly state: ResourceState;
  readonly operation?: OperationRecord;
  /** What the platform gets. */
  readonly result?: OsbBinding;
}

/** What a broker remembers of an instance, and of its bindings. */
export interface InstanceRecord extends InstanceChange {
  readonly id: string;
  readonly serviceId: string;
  readonly organization: string;
  readonly space: string;
  readonly state: ResourceState;
  readonly operation?: OperationRecord;
  readonly dashboardUrl?: string;
  readonly metadata?: InstanceMetadata;
  readonly bindings: Readonly<Record<string, BindingRecord>>;
}

/** Where a broker remembers instances. One process at a time uses it. */
export interface BrokerRecords {
  list(): Promise<readonly InstanceRecord[]>;
  /** Resolves when the record survives a crash. Writes of one instance are made one after the other. */
  put(record: InstanceRecord): Promise<void>;
  delete(id: string): Promise<void>;
}

/** Records that are gone with the process, for tests. */
export function memoryRecords(): BrokerRecords {
  const records = new Map<string, InstanceRecord>();
  return {
    list: async () => [...records.values()],
    put: async (record) => void records.set(record.id, record),
    delete: async (id) => void records.delete(id),
  };
}
