import { messageOf } from '../../base/index.ts';
import { type Observed, type ServedKind, StorageVersionMigration } from '../../client/index.ts';
import { controller, type Controller, type ReconcileContext, watch } from '../../kit/index.ts';
import { DefinitionStatus } from './definition-status.ts';
import {
  completed,
  failed,
  isNext,
  isFinished,
  isRunning,
  resourceOf,
  RUNNING,
  type Statement,
  SUCCEEDED,
  withCondition,
} from './migration-state.ts';
import { isRetriable, migrateObjects } from './object-migration.ts';

type Migration = Observed<StorageVersionMigration>;

const NAME = 'storage-version-migrator-controller';
const NEEDED_VERBS = ['update', 'patch', 'list'];
/** How long a resource may take to be served. */
const UNKNOWN_FOR_MS = 60_000;

/**
 * Runs StorageVersionMigrations: rewrites every object of a resource, so that all are stored in the current version,
 * and removes older versions from the CRD's `storedVersions`. One migration runs per resource at a time.
 */
export function storageVersionMigrator(): Controller {
  return controller(StorageVersionMigration, {
    name: NAME,
    concurrency: 5,
    watches: [
      watch(StorageVersionMigration, { to: migrationsOfSameResource, when: (migration) => isFinished(migration) }),
    ],
    async reconcile(migration, context) {
      if (isFinished(migration)) await conclude(migration, context);
      else if (isRunning(migration)) await proceed(migration, context);
      else if (isNext(migration, context.objects(StorageVersionMigration).list()))
        await proceed(await begin(migration, context), context);
    },
  });
}

/** The migrations that wait for the same resource. */
function migrationsOfSameResource(
  migration: Migration,
  { objects }: { readonly objects: ReconcileContext['objects'] },
): readonly string[] {
  const rivals = objects(StorageVersionMigration)
    .list()
    .filter((other) => !isFinished(other) && resourceOf(other) === resourceOf(migration));
  return rivals.map(({ metadata }) => metadata.name);
}

async function begin(migration: Migration, context: ReconcileContext): Promise<Migration> {
  await new DefinitionStatus(context.client, context.signal).begin(migration);
  return stateThat(RUNNING, migration, context);
}

/** Continues from the migration's current step; each step is recorded in the status. */
async function proceed(migration: Migration, context: ReconcileContext): Promise<void> {
  const kind = await servedKind(migration, context);
  if (typeof kind === 'string') {
    await conclude(await stateThat(failed(kind), migration, context), context);
    return;
  }
  const marked = await withResourceVersion(migration, kind, context);
  const outcome = await migrate(marked, kind, context);
  await conclude(await stateThat(outcome, marked, context), context);
}

async function conclude(migration: Migration, context: ReconcileContext): Promise<void> {
  if (!isRunning(migration)) return;
  await new DefinitionStatus(context.client, context.signal).end(migration);
  const status = completed(migration, context.clock);
  await context.objects(StorageVersionMigration).updateStatus({ ...migration, status }, { signal: context.signal });
}

/** The kind to migrate, or why there is none; throws while it may still appear. */
async function servedKind({ spec, metadata }: Migration, context: ReconcileContext): Promise<ServedKind | string> {
  const { group = '', resource = '' } = spec?.resource ?? {};
  const { kinds, failures } = await context.client.apis.survey({ signal: context.signal });
  const kind = kinds.find((each) => each.group === group && each.plural === resource);
  if (kind === undefined) {
    const isNew = context.clock.now() - Date.parse(metadata.creationTimestamp) < UNKNOWN_FOR_MS;
    const isHidden = [...failures.keys()].some((version) => version.startsWith(`${group}/`));
    if (!isNew && !isHidden) return 'resource does not exist in discovery';
    throw new Error(`Cannot migrate "${resource}.${group}" yet: it is not served`);
  }
  if (NEEDED_VERBS.every((verb) => kind.verbs.includes(verb))) return kind;
  const name = `${group}/${kind.version}, Resource=${resource}`;
  return `resource "${name}" does not support discovery operations: [${NEEDED_VERBS.join(' ')}]`;
}

/** Records the newest resourceVersion once: objects written later need no migration. */
async function withResourceVersion(
  migration: Migration,
  kind: ServedKind,
  context: ReconcileContext,
): Promise<Migration> {
  if ((migration.status?.resourceVersion ?? '') !== '') return migration;
  const { client, signal } = context;
  const { resourceVersion } = await client.kind(kind).metadata().page({ limit: 1, signal });
  const status = { ...migration.status, resourceVersion };
  return context.objects(StorageVersionMigration).updateStatus({ ...migration, status }, { signal });
}

async function migrate(
  { status }: Migration,
  kind: ServedKind,
  { client, signal }: ReconcileContext,
): Promise<Statement> {
  try {
    const { resourceVersion = '' } = status ?? {};
    await migrateObjects({ client, kind, resourceVersion, fieldManager: NAME, signal });
    return SUCCEEDED;
  } catch (error) {
    signal.throwIfAborted();
    if (isRetriable(error)) throw error;
    return failed(`migration encountered unhandled error: ${messageOf(error)}`);
  }
}

function stateThat(statement: Statement, migration: Migration, context: ReconcileContext): Promise<Migration> {
  const status = withCondition(migration, statement, context.clock);
  return context.objects(StorageVersionMigration).updateStatus({ ...migration, status }, { signal: context.signal });
}
