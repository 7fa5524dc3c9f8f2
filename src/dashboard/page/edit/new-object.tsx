import type { ResourceKind } from '../cluster/resource-kind.ts';
import { useApp } from '../shell/app-context.ts';
import { Editing, templateOf } from './editing.tsx';

/** Creates an object of a kind. */
export function NewObject({ kind }: { readonly kind: ResourceKind }) {
  const { namespace, connection } = useApp();
  const target = namespace.value === '' ? connection.info.value?.namespace : namespace.value;
  return (
    <section class="object-view" aria-label={`New ${kind.kind}`}>
      <header class="view-header">
        <h1>New {kind.kind}</h1>
      </header>
      <div class="tab-body">
        <Editing kind={kind} namespace={target} text={templateOf(kind, target ?? 'default')} />
      </div>
    </section>
  );
}
