import { useSignal } from '@preact/signals';
import { useMemo } from 'preact/hooks';
import type { KubernetesObject } from '../../protocol.ts';
import { ObjectList } from '../cluster/object-list.ts';
import { stateOf } from '../cluster/object-parts.ts';
import type { ResourceKind } from '../cluster/resource-kind.ts';
import { Age } from '../parts/age.tsx';
import { KubectlLine } from '../parts/kubectl-line.tsx';
import { Problem } from '../parts/problem.tsx';
import { StateMark } from '../parts/state-mark.tsx';
import { useRun } from '../parts/use-run.ts';
import { linkToList, useApp } from '../shell/app-context.ts';
import type { Route } from '../shell/router.ts';
import { DeleteObject } from './delete-object.tsx';
import { objectTabs, type ObjectTab } from './object-tabs.tsx';

export interface ObjectViewProps {
  readonly kind: ResourceKind;
  readonly namespace: string;
  readonly name: string;
  readonly route: Route;
}

/** One object: what it is, what belongs to it, and what can be done with it. */
export function ObjectView({ kind, namespace, name, route }: ObjectViewProps) {
  const { connection, moment } = useApp();
  const isRevealed = useSignal(false);
  const at = moment.value?.revision;
  const list = useMemo(
    () => new ObjectList(connection, { kind, namespace, name, at, isRevealed: isRevealed.value }),
    [connection, kind, namespace, name, at, isRevealed.value],
  );
  useRun((signal) => list.run(signal), [list, connection.generation.value]);
  const object = list.objects.value[0];
  const last = useLast(object, list.isLoaded.value ? list : undefined);
  const shown = object ?? (list.isLoaded.value ? undefined : last);
  const tabs = objectTabs(kind, connection.info.value, at !== undefined);
  const tab = tabs.find(({ id }) => id === route.parameters['tab']) ?? tabs[0];
  const command = tab?.command?.(kind, { namespace, name });
  return (
    <section class="object-view" aria-label={`${kind.kind} ${name}`}>
      <header class="view-header object-header">
        <div class="object-title">
          <p class="crumbs">
            <a href={linkToList(kind)}>{kind.kind}</a>
            {namespace === '' ? null : (
              <>
                {' in '}
                <span>{namespace}</span>
              </>
            )}
          </p>
          <h1>
            {name}
            {shown === undefined || stateOf(shown) === '' ? null : <StateMark text={stateOf(shown)} />}
          </h1>
        </div>
        {shown === undefined ? null : (
          <p class="hint">
            created <Age since={String(shown.metadata?.['creationTimestamp'] ?? '')} /> ago · resourceVersion{' '}
            {shown.metadata?.resourceVersion}
          </p>
        )}
        {kind.group === '' && kind.resource === 'secrets' && at === undefined ? (
          <button type="button" aria-pressed={isRevealed.value} onClick={() => (isRevealed.value = !isRevealed.value)}>
            {isRevealed.value ? 'Hide values' : 'Show values'}
          </button>
        ) : null}
        {shown === undefined || at !== undefined ? null : <DeleteObject kind={kind} object={shown} />}
      </header>
      <Tabs tabs={tabs} current={tab?.id ?? ''} />
      <div class="tab-body" role="tabpanel" aria-labelledby={`tab-${tab?.id}`}>
        {list.error.value !== undefined && shown === undefined ? (
          <Problem error={list.error.value} what={`${kind.kind} "${name}"`} />
        ) : shown === undefined ? (
          <p class="empty" role="status">
            {list.isLoaded.value
              ? `There is no ${kind.kind} "${name}"${at === undefined ? ' (any more)' : ' at this moment'}.`
              : 'Loading…'}
            {list.isLoaded.value && last !== undefined && at === undefined ? <DeletedHint kind={kind} /> : null}
          </p>
        ) : (
          tab?.render({ kind, object: shown, isRevealed: isRevealed.value, route })
        )}
      </div>
      {command === undefined ? null : (
        <footer class="view-footer">
          <KubectlLine command={command} />
        </footer>
      )}
    </section>
  );
}

function DeletedHint({ kind }: { readonly kind: ResourceKind }) {
  return (
    <>
      {' '}
      It was deleted while you looked. <a href={linkToList(kind)}>All {kind.resource}</a>
    </>
  );
}

/** Keeps what was shown while the next answer is on its way, so that the page does not jump. */
function useLast(object: KubernetesObject | undefined, _list: unknown): KubernetesObject | undefined {
  const last = useSignal<KubernetesObject | undefined>(undefined);
  if (object !== undefined && last.peek() !== object) last.value = object;
  return last.peek();
}

function Tabs({ tabs, current }: { readonly tabs: readonly ObjectTab[]; readonly current: string }) {
  const { router } = useApp();
  const choose = (id: string): void => router.adjust({ tab: id });
  const onKeyDown = (event: KeyboardEvent): void => {
    const step = event.key === 'ArrowRight' ? 1 : event.key === 'ArrowLeft' ? -1 : 0;
    if (step === 0) return;
    const index = tabs.findIndex(({ id }) => id === current);
    const next = tabs[(index + step + tabs.length) % tabs.length];
    if (next !== undefined) {
      choose(next.id);
      document.getElementById(`tab-${next.id}`)?.focus();
    }
  };
  return (
    <div class="tabs" role="tablist" aria-label="Parts of the object" onKeyDown={onKeyDown}>
      {tabs.map(({ id, title }) => (
        <button
          key={id}
          id={`tab-${id}`}
          type="button"
          role="tab"
          aria-selected={id === current}
          tabIndex={id === current ? 0 : -1}
          onClick={() => choose(id)}
        >
          {title}
        </button>
      ))}
    </div>
  );
}
