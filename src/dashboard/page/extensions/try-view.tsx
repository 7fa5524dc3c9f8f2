import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import type { DryRunRequest, DryRunResult, KubernetesObject } from '../../protocol.ts';
import { errorFromStatus, type ApiError } from '../cluster/api-error.ts';
import { withoutManagedFields } from '../cluster/object-parts.ts';
import { openEditor, parseYaml } from '../edit/yaml-editor.ts';
import { Problem } from '../parts/problem.tsx';
import { StateMark } from '../parts/state-mark.tsx';
import { RequestSteps } from '../requests/request-steps.tsx';
import { useApp } from '../shell/app-context.ts';
import { DifferenceView } from '../yaml/difference-view.tsx';

const EXAMPLE = `apiVersion: v1
kind: Pod
metadata:
  name: example
  namespace: default
spec:
  containers:
  - name: web
    image: nginx
`;

const VERBS = ['apply', 'create', 'update', 'delete'] as const;

/** What would happen to an object: each stage of a request that stores nothing. */
export function TryView() {
  const { connection } = useApp();
  const place = useRef<HTMLDivElement>(null);
  const text = useRef(EXAMPLE);
  const verb = useSignal<(typeof VERBS)[number]>('apply');
  const result = useSignal<DryRunResult | undefined>(undefined);
  const error = useSignal<unknown>(undefined);
  const isBusy = useSignal(false);
  useEffect(() => {
    if (place.current === null) return;
    const editor = openEditor(place.current, {
      text: text.current,
      schema: async () => undefined,
      onChange: (next) => (text.current = next),
    });
    return () => editor.destroy();
  }, []);
  const run = async (): Promise<void> => {
    isBusy.value = true;
    error.value = undefined;
    try {
      const object = parseYaml(text.current);
      if (typeof object !== 'object' || object === null || Array.isArray(object))
        throw new Error('The text is not one object');
      const request: DryRunRequest = { object: object as KubernetesObject, verb: verb.value };
      result.value = await connection.own<DryRunResult>('dry-run', { method: 'POST', body: JSON.stringify(request) });
    } catch (cause) {
      error.value = cause;
      result.value = undefined;
    }
    isBusy.value = false;
  };
  return (
    <section class="object-view" aria-label="What would happen?">
      <header class="view-header">
        <h1>What would happen to this object?</h1>
        <label class="picker">
          <span>verb</span>
          <select
            value={verb.value}
            onChange={({ currentTarget }) => (verb.value = VERBS.find((one) => one === currentTarget.value) ?? 'apply')}
          >
            {VERBS.map((one) => (
              <option key={one}>{one}</option>
            ))}
          </select>
        </label>
        <button type="button" class="primary" onClick={() => void run()} disabled={isBusy.value}>
          Dry run
        </button>
      </header>
      <div class="tab-body editing-panes two">
        <div ref={place} class="editor" />
        <div class="preview">
          {error.value === undefined ? null : <Problem error={error.value} what="what would happen" />}
          {result.value === undefined ? (
            error.value === undefined ? (
              <p class="empty">Write or paste an object. A dry run passes all stages and stores nothing.</p>
            ) : null
          ) : (
            <Outcome result={result.value} />
          )}
        </div>
      </div>
    </section>
  );
}

function Outcome({ result }: { readonly result: DryRunResult }) {
  const { before, after, code, status, warnings, trace } = result;
  const isRefused = code >= 400;
  const refusal: ApiError | undefined = status === undefined ? undefined : errorFromStatus(status, code);
  return (
    <>
      <p class="toolbar">
        <StateMark
          text={`${code} ${isRefused ? 'would be refused' : 'would be accepted'}`}
          tone={isRefused ? 'bad' : 'good'}
        />
      </p>
      {refusal === undefined ? null : <Problem error={refusal} what="an outcome" />}
      {warnings.map((warning) => (
        <p key={warning} class="state busy">
          <span class="mark" aria-hidden="true" />
          {warning}
        </p>
      ))}
      {trace === undefined ? null : <RequestSteps trace={trace} />}
      {after === undefined && before === undefined ? null : (
        <div class="boxed-difference">
          <DifferenceView
            label="What would change"
            before={before === undefined ? undefined : withoutManagedFields(before)}
            after={after === undefined ? undefined : withoutManagedFields(after)}
          />
        </div>
      )}
    </>
  );
}
