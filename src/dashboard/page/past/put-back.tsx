import { useSignal } from '@preact/signals';
import type { Change, KubernetesObject } from '../../protocol.ts';
import { isNotFound, messageOf } from '../cluster/api-error.ts';
import { withoutManagedFields } from '../cluster/object-parts.ts';
import { pathOf, resourceName, type ResourceKind } from '../cluster/resource-kind.ts';
import { Confirm } from '../parts/confirm.tsx';
import { useApp } from '../shell/app-context.ts';
import { DifferenceView } from '../yaml/difference-view.tsx';
import { commandOf, write, type Way } from '../edit/write-object.ts';

interface Plan {
  readonly way: Way;
  readonly live: KubernetesObject | undefined;
  readonly object: KubernetesObject;
  /** What the server says would come of it. */
  readonly after: KubernetesObject;
}

/** The button that writes an old state again, after showing what would change. */
export function PutBack({
  change,
  wanted,
}: {
  readonly change: Change;
  readonly wanted: KubernetesObject | undefined;
}) {
  const { connection, discovery, notices } = useApp();
  const plan = useSignal<Plan | undefined>(undefined);
  const kind = discovery.find(resourceName(change));
  // values of Secrets are not kept, so an old one cannot be written again
  const isSecret = change.group === '' && change.resource === 'secrets';
  if (wanted === undefined || kind === undefined || isSecret || connection.info.value?.isReadOnly === true) return null;
  const prepare = async (): Promise<void> => {
    try {
      plan.value = await planOf(kind, wanted);
    } catch (error) {
      notices.add(`It cannot be put back: ${messageOf(error)}`, { isError: true });
    }
  };
  const planOf = async (kind: ResourceKind, wanted: KubernetesObject): Promise<Plan> => {
    const { namespace, name } = change;
    const live = await connection.clusterJson(pathOf(kind, { namespace, name })).catch((error: unknown) => {
      if (isNotFound(error)) return undefined;
      throw error;
    });
    const way: Way = live === undefined ? 'create' : 'replace';
    const object = withIdentityOf(wanted, live);
    const { object: after } = await write(connection, kind, {
      object,
      way,
      namespace,
      isDryRun: true,
      isForced: false,
    });
    return { way, live, object, after };
  };
  const run = async ({ way, object }: Plan): Promise<void> => {
    plan.value = undefined;
    try {
      await write(connection, kind, { object, way, namespace: change.namespace, isDryRun: false, isForced: false });
      notices.add(`${kind.kind} "${change.name}" is as it was before revision ${change.revision}`, {
        command: commandOf(way),
      });
    } catch (error) {
      notices.add(`It could not be put back: ${messageOf(error)}`, { isError: true });
    }
  };
  const current = plan.value;
  return (
    <>
      <button type="button" onClick={() => void prepare()}>
        Put back…
      </button>
      {current === undefined ? null : (
        <Confirm
          title={`Put ${kind.kind} "${change.name}" back to before revision ${change.revision}?`}
          action={current.way === 'create' ? 'Create again' : 'Put back'}
          command={commandOf(current.way)}
          onConfirm={() => void run(current)}
          onCancel={() => (plan.value = undefined)}
        >
          <p class="hint">From how it is now to how it would be, as the server says:</p>
          <div class="boxed-difference">
            <DifferenceView
              label="What putting back would change"
              before={current.live === undefined ? undefined : plain(current.live)}
              after={plain(current.after)}
            />
          </div>
        </Confirm>
      )}
    </>
  );
}

/** The old object under the name of the one that is there now, so that a write in between is noticed. */
function withIdentityOf(wanted: KubernetesObject, live: KubernetesObject | undefined): KubernetesObject {
  const { resourceVersion: _, uid: _a, managedFields: _b, ...metadata } = wanted.metadata ?? {};
  const identity =
    live === undefined ? {} : { resourceVersion: live.metadata?.resourceVersion, uid: live.metadata?.uid };
  return { ...wanted, metadata: { ...metadata, ...identity } };
}

function plain(object: KubernetesObject): KubernetesObject {
  const clean = withoutManagedFields(object);
  const { resourceVersion: _, generation: _a, ...metadata } = clean.metadata ?? {};
  return { ...clean, metadata };
}
