import { useSignal, type Signal } from '@preact/signals';
import { messageOf } from '../cluster/api-error.ts';
import { pathOf, resourceName } from '../cluster/resource-kind.ts';
import { Confirm } from '../parts/confirm.tsx';
import { inNamespace, kubectl } from '../parts/kubectl-command.ts';
import { useApp } from '../shell/app-context.ts';
import type { Row } from './table-rows.ts';
import type { TableSource } from './table-source.ts';

const AT_ONCE = 4;
const NAMED_IN_COMMAND = 20;

/** The button that deletes all selected objects, after a question that names them. */
export function DeleteSelected({
  source,
  selected,
}: {
  readonly source: TableSource;
  readonly selected: Signal<ReadonlySet<string>>;
}) {
  const { connection, moment, notices } = useApp();
  const { kind } = source.query;
  const isAsking = useSignal(false);
  const isBusy = useSignal(false);
  const isAllowed =
    kind.verbs.has('delete') && moment.value === undefined && connection.info.value?.isReadOnly !== true;
  if (!isAllowed) return null;
  const rows = [...selected.value].sort().flatMap((id) => source.rows.get(id) ?? []);
  const commands = [...Map.groupBy(rows, ({ namespace }) => namespace)].map(([namespace, those]) =>
    kubectl(
      'delete',
      resourceName(kind),
      ...those.slice(0, NAMED_IN_COMMAND).map(({ name }) => name),
      those.length > NAMED_IN_COMMAND && '…',
      ...inNamespace(namespace),
    ),
  );
  const run = async (): Promise<void> => {
    isAsking.value = false;
    isBusy.value = true;
    const failures = await deleteAll(rows, async ({ namespace, name }) => {
      await connection.cluster(pathOf(kind, { namespace, name }), { method: 'DELETE' });
    });
    isBusy.value = false;
    selected.value = new Set();
    const [first] = failures;
    if (first === undefined) notices.add(`Deleted ${rows.length} ${kind.resource}`, { command: commands.join(' && ') });
    else notices.add(`${failures.length} of ${rows.length} could not be deleted: ${first}`, { isError: true });
  };
  return (
    <>
      <button
        type="button"
        class="danger"
        disabled={rows.length === 0 || isBusy.value}
        onClick={() => (isAsking.value = true)}
      >
        {isBusy.value ? 'Deleting…' : `Delete ${rows.length === 0 ? '' : rows.length}`}
      </button>
      {isAsking.value ? (
        <Confirm
          title={`Delete ${rows.length} ${kind.resource}?`}
          action="Delete"
          command={commands.join(' && ')}
          onConfirm={() => void run()}
          onCancel={() => (isAsking.value = false)}
        >
          <ul class="named">
            {rows.slice(0, 12).map((row) => (
              <li key={row.id}>{row.id.replace(/^\//, '')}</li>
            ))}
            {rows.length > 12 ? <li>and {rows.length - 12} more</li> : null}
          </ul>
        </Confirm>
      ) : null}
    </>
  );
}

/** Returns the messages of those that failed. */
async function deleteAll(rows: readonly Row[], remove: (row: Row) => Promise<void>): Promise<string[]> {
  const left = [...rows];
  const failures: string[] = [];
  const work = async (): Promise<void> => {
    for (let row = left.shift(); row !== undefined; row = left.shift()) {
      try {
        await remove(row);
      } catch (error) {
        failures.push(messageOf(error));
      }
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return failures;
}
