import {
  type Client,
  CustomResourceDefinition,
  hasReason,
  type Observed,
  type StorageVersionMigration,
  type Stored,
} from '../../client/index.ts';
import { hasSucceeded, timeOf } from './migration-state.ts';

type Migration = Observed<StorageVersionMigration>;
type Definition = Stored<CustomResourceDefinition>;

/** The field manager of upstream's conditions. */
const FIELD_MANAGER = 'migration-runner-controller';
const CONDITION = 'StorageMigrating';

/** The migration conditions of CRDs. Built-in resources have none. */
export class DefinitionStatus {
  readonly #client: Client;
  readonly #signal: AbortSignal;

  constructor(client: Client, signal: AbortSignal) {
    this.#client = client;
    this.#signal = signal;
  }

  async begin(migration: Migration): Promise<void> {
    const definition = await this.#definitionOf(migration);
    if (definition === undefined) return;
    const message = `Migration ${migration.metadata.name} is running`;
    await this.#apply(definition, { status: 'True', reason: 'MigrationRunning', message });
  }

  /**
   * Reports how the migration ended. If it succeeded and the CRD is unchanged, all objects are stored in the current
   * version, and `storedVersions` is reduced to it. (Upstream 1.36 does that after a failure too, and thereby allows
   * removing a version in which objects are still stored.)
   */
  async end(migration: Migration): Promise<void> {
    const definition = await this.#definitionOf(migration);
    if (definition === undefined) return;
    const began = definition.status?.conditions?.find(({ type }) => type === CONDITION);
    if (!hasSucceeded(migration)) {
      const message = 'The migration has failed';
      await this.#apply(definition, { status: 'False', reason: 'MigrationFailed', message });
      return;
    }
    const isSame = began !== undefined && (began.observedGeneration ?? 0) === definition.metadata.generation;
    const outcome = isSame
      ? 'and the stored versions have been updated'
      : 'but the stored versions have not been updated due to a generation mismatch';
    const message = `The migration has succeeded ${outcome}`;
    const storage = isSame ? definition.spec.versions.filter((version) => version.storage) : [];
    const storedVersions = storage.map(({ name }) => name);
    await this.#apply(
      definition,
      { status: 'False', reason: 'MigrationSucceeded', message },
      isSame ? { storedVersions } : {},
    );
  }

  async #definitionOf({ spec }: Migration): Promise<Definition | undefined> {
    const { group = '', resource = '' } = spec?.resource ?? {};
    try {
      return await this.#client.kind(CustomResourceDefinition).get(`${resource}.${group}`, { signal: this.#signal });
    } catch (error) {
      if (hasReason(error, 'NotFound')) return undefined;
      throw error;
    }
  }

  /** Applies with the resourceVersion that was read: a concurrent change of the CRD restarts this. */
  async #apply(
    { metadata: { name, resourceVersion, generation } }: Definition,
    condition: { readonly status: string; readonly reason: string; readonly message: string },
    more: { readonly storedVersions?: string[] } = {},
  ): Promise<void> {
    const { clock } = this.#client;
    const stated = {
      type: CONDITION,
      ...condition,
      lastTransitionTime: timeOf(clock),
      ...(generation === undefined ? {} : { observedGeneration: generation }),
    };
    const { apiVersion, kind } = CustomResourceDefinition;
    const status = { conditions: [stated], ...more };
    const intent = {
      apiVersion,
      kind,
      metadata: { name, resourceVersion },
      status,
    } as unknown as CustomResourceDefinition;
    await this.#client
      .kind(CustomResourceDefinition)
      .status.apply(intent, { fieldManager: FIELD_MANAGER, force: true, signal: this.#signal });
  }
}
