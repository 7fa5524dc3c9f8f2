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

/** As the conditions say who wrote them. */
const FIELD_MANAGER = 'migration-runner-controller';
const CONDITION = 'StorageMigrating';

/** The conditions of definitions whose objects are migrated. Other resources have no definition, and need none. */
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
   * Says how the migration ended. If it went well and the definition is the one that it began with, all objects are in the
   * version in which they are stored now, and no other one is left in `storedVersions`. (Upstream 1.36 does that after a
   * failure too, and thereby allows to remove a version in which objects are still stored.)
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

  /** With the resourceVersion that was read: whoever changes the definition meanwhile makes this begin anew. */
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
