import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import type { KubernetesObject } from '../../protocol.ts';
import { ApiError, messageOf } from '../cluster/api-error.ts';
import { withoutManagedFields } from '../cluster/object-parts.ts';
import type { OpenApi } from '../cluster/open-api.ts';
import type { ResourceKind } from '../cluster/resource-kind.ts';
import { KubectlLine } from '../parts/kubectl-line.tsx';
import { linkToObject, useApp } from '../shell/app-context.ts';
import { DifferenceView } from '../yaml/difference-view.tsx';
import { toYaml } from '../yaml/yaml-lines.ts';
import { commandOf, write, type Way, type Written } from './write-object.ts';
import { openEditor, parseYaml, type KindSchema } from './yaml-editor.ts';

export interface EditingProps {
  readonly kind: ResourceKind;
  readonly namespace?: string | undefined;
  /** Absent for an object that is to be created. */
  readonly live?: KubernetesObject;
  readonly text: string;
}

type Stage =
  | { readonly type: 'text' }
  | { readonly type: 'asking' }
  | {
      readonly type: 'preview';
      readonly object: KubernetesObject;
      readonly written: Written;
      readonly isForced: boolean;
    }
  | { readonly type: 'refused'; readonly error: unknown };

/** A text, what it would do, and the button that does it. */
export function Editing({ kind, namespace, live, text: first }: EditingProps) {
  const { connection, openApi, notices } = useApp();
  const place = useRef<HTMLDivElement>(null);
  const text = useRef(first);
  const way = useSignal<Way>(live === undefined ? 'create' : 'replace');
  const stage = useSignal<Stage>({ type: 'text' });
  const begun = useRef(live);
  useEffect(() => {
    if (place.current === null) return;
    const editor = openEditor(place.current, {
      text: first,
      schema: () => schemaOf(openApi, kind),
      onChange: (next) => {
        text.current = next;
        if (stage.peek().type !== 'text') stage.value = { type: 'text' };
      },
    });
    return () => editor.destroy();
  }, []);
  const run = async (isDryRun: boolean, isForced: boolean): Promise<void> => {
    stage.value = { type: 'asking' };
    try {
      const object = parseYaml(text.current);
      if (typeof object !== 'object' || object === null || Array.isArray(object))
        throw new Error('The text is not one object');
      const written = await write(connection, kind, {
        object: object as KubernetesObject,
        way: way.value,
        namespace,
        isDryRun,
        isForced,
      });
      if (isDryRun) {
        stage.value = { type: 'preview', object: object as KubernetesObject, written, isForced };
        return;
      }
      const key = written.object.metadata ?? {};
      notices.add(`${way.value === 'create' ? 'Created' : 'Changed'} ${kind.kind} "${key.name}"`, {
        command: commandOf(way.value, { isForced }),
      });
      location.hash = linkToObject(kind, key, 'yaml');
    } catch (error) {
      stage.value = { type: 'refused', error };
    }
  };
  const current = stage.value;
  const hasMoved = live !== undefined && live.metadata?.resourceVersion !== begun.current?.metadata?.resourceVersion;
  return (
    <div class="editing">
      <div class="toolbar">
        {live === undefined ? null : (
          <div class="choice" role="radiogroup" aria-label="How to write">
            {(['replace', 'apply'] as const).map((one) => (
              <label key={one} class="check">
                <input
                  type="radio"
                  name="way"
                  checked={way.value === one}
                  onChange={() => {
                    way.value = one;
                    stage.value = { type: 'text' };
                  }}
                />
                {one === 'replace' ? 'replace (all of it)' : 'apply (fields that stand here)'}
              </label>
            ))}
          </div>
        )}
        {hasMoved && way.value === 'replace' && current.type !== 'preview' ? (
          <span class="state busy">
            <span class="mark" aria-hidden="true" />
            The object has changed since you began
          </span>
        ) : null}
        <span class="grow" />
        <button
          type="button"
          class={current.type === 'preview' ? '' : 'primary'}
          onClick={() => void run(true, false)}
          disabled={current.type === 'asking'}
        >
          Dry run
        </button>
        {current.type === 'preview' ? (
          <button type="button" class="primary" onClick={() => void run(false, current.isForced)}>
            {way.value === 'create' ? 'Create' : way.value === 'apply' ? 'Apply' : 'Replace'}
          </button>
        ) : null}
      </div>
      <div class={`editing-panes ${current.type === 'preview' || current.type === 'refused' ? 'two' : ''}`}>
        <div ref={place} class="editor" />
        {current.type === 'preview' ? (
          <div class="preview">
            {current.written.warnings.map((warning) => (
              <p key={warning} class="state busy">
                <span class="mark" aria-hidden="true" />
                {warning}
              </p>
            ))}
            <DifferenceView
              label="What would change"
              before={live === undefined ? undefined : withoutNoise(live)}
              after={withoutNoise(current.written.object)}
            />
          </div>
        ) : null}
        {current.type === 'refused' ? (
          <Refusal error={current.error} isApply={way.value === 'apply'} onForce={() => void run(true, true)} />
        ) : null}
      </div>
      <div class="view-footer inner">
        <KubectlLine
          command={commandOf(way.value, {
            isForced: current.type === 'preview' && current.isForced,
            isDryRun: current.type !== 'preview',
          })}
        />
      </div>
    </div>
  );
}

/** Members that differ after every write would only hide what the write is about. */
function withoutNoise(object: KubernetesObject): KubernetesObject {
  const clean = withoutManagedFields(object);
  if (clean.metadata === undefined) return clean;
  const { resourceVersion: _, generation: __, ...metadata } = clean.metadata;
  return { ...clean, metadata };
}

/** Why the write would be refused; conflicts name the managers whose fields it would take. */
function Refusal({
  error,
  isApply,
  onForce,
}: {
  readonly error: unknown;
  readonly isApply: boolean;
  readonly onForce: () => void;
}) {
  const causes = error instanceof ApiError ? error.causes : [];
  const isConflict = error instanceof ApiError && error.code === 409;
  const byManager = Map.groupBy(causes, ({ message }) => /conflict with "([^"]*)"/.exec(message ?? '')?.[1] ?? '');
  return (
    <div class="preview refusal" role="alert">
      <h2>{isConflict ? 'Conflict' : 'It would be refused'}</h2>
      <p class="wrap">{messageOf(error)}</p>
      {[...byManager].map(([manager, those]) => (
        <section key={manager}>
          {manager === '' ? null : <h3>{manager} has set</h3>}
          <ul class="field-list">
            {those.map(({ field, message }) => (
              <li key={`${field}/${message}`}>
                <code>{field}</code> {manager === '' ? <small>{message}</small> : null}
              </li>
            ))}
          </ul>
        </section>
      ))}
      {isConflict && isApply ? (
        <button type="button" class="danger" onClick={onForce}>
          Dry run with taking these fields over
        </button>
      ) : null}
      {isConflict && !isApply ? (
        <p class="hint">Somebody else has changed it since. Open the tab again to start from what is there now.</p>
      ) : null}
    </div>
  );
}

export function templateOf({ kind, isNamespaced, group, version }: ResourceKind, namespace: string): string {
  return toYaml({
    apiVersion: group === '' ? version : `${group}/${version}`,
    kind,
    metadata: { name: 'example', ...(isNamespaced ? { namespace: namespace === '' ? 'default' : namespace } : {}) },
    spec: {},
  });
}

/** Without a description of the kind there is no completion. */
async function schemaOf(openApi: OpenApi, kind: ResourceKind): Promise<KindSchema | undefined> {
  try {
    const schemas = await openApi.schemas(kind);
    const root = schemas.root(kind);
    return root === undefined ? undefined : { schemas, root };
  } catch {
    return undefined;
  }
}
