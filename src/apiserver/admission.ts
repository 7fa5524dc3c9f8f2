import type { ApiObject } from '../api/index.ts';
import type { UserInfo } from './request/user.ts';
import type { Resource } from './resource.ts';

/** A write on its way to the store, as admission plugins see it. */
export interface AdmissionRequest {
  readonly operation: 'CREATE' | 'UPDATE' | 'DELETE' | 'CONNECT';
  readonly resource: Resource;
  readonly subresource: string;
  readonly namespace: string;
  /** Empty while a new object's name is still to be generated, which is until it has been mutated. */
  readonly name: string;
  /** The object as it is to be written; `mutate` may replace it. Absent on delete. */
  object: ApiObject | undefined;
  readonly old: ApiObject | undefined;
  readonly user: UserInfo;
  readonly dryRun: boolean;
  warn(message: string): void;
}

/** One plugin. Refusing is throwing a `StatusError`. */
export interface AdmissionPlugin {
  readonly name: string;
  readonly mutate?: (request: AdmissionRequest) => void | Promise<void>;
  readonly validate?: (request: AdmissionRequest) => void | Promise<void>;
}

/** The plugins in running order: all mutate, then, on the finished object, all validate. */
export class Admission {
  readonly #mutating: readonly AdmissionPlugin[];
  readonly #validating: readonly AdmissionPlugin[];

  constructor(plugins: readonly AdmissionPlugin[]) {
    this.#mutating = plugins.filter((plugin) => plugin.mutate !== undefined);
    this.#validating = plugins.filter((plugin) => plugin.validate !== undefined);
  }

  async mutate(request: AdmissionRequest): Promise<void> {
    for (const plugin of this.#mutating) await plugin.mutate?.(request);
  }

  async validate(request: AdmissionRequest): Promise<void> {
    for (const plugin of this.#validating) await plugin.validate?.(request);
  }
}
