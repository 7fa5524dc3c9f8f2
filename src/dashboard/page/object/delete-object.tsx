import { useSignal } from '@preact/signals';
import type { KubernetesObject } from '../../protocol.ts';
import { messageOf } from '../cluster/api-error.ts';
import { pathOf, resourceName, type ResourceKind } from '../cluster/resource-kind.ts';
import { Confirm } from '../parts/confirm.tsx';
import { inNamespace, kubectl } from '../parts/kubectl-command.ts';
import { useApp } from '../shell/app-context.ts';

export function DeleteObject({ kind, object }: { readonly kind: ResourceKind; readonly object: KubernetesObject }) {
  const { connection, notices } = useApp();
  const isAsking = useSignal(false);
  if (!kind.verbs.has('delete') || connection.info.value?.isReadOnly === true) return null;
  const { namespace, name, uid } = object.metadata ?? {};
  const command = kubectl('delete', resourceName(kind), name, ...inNamespace(namespace));
  const run = async (): Promise<void> => {
    isAsking.value = false;
    try {
      // the object that is shown, not another one that has taken its name since
      const body = JSON.stringify({ apiVersion: 'v1', kind: 'DeleteOptions', preconditions: { uid } });
      await connection.cluster(pathOf(kind, { namespace, name }), { method: 'DELETE', body });
      notices.add(`Deleted ${kind.kind} "${name}"`, { command });
    } catch (error) {
      notices.add(`Could not delete ${kind.kind} "${name}": ${messageOf(error)}`, { isError: true });
    }
  };
  return (
    <>
      <button type="button" class="danger" onClick={() => (isAsking.value = true)}>
        Delete
      </button>
      {isAsking.value ? (
        <Confirm
          title={`Delete ${kind.kind} "${name}"?`}
          action="Delete"
          command={command}
          onConfirm={() => void run()}
          onCancel={() => (isAsking.value = false)}
        >
          <p class="named">What it owns is deleted with it.</p>
        </Confirm>
      ) : null}
    </>
  );
}
