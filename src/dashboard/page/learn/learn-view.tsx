import { useSignal } from '@preact/signals';
import type { LearnList, LearnStep, LearnWalk } from '../../protocol.ts';
import { Problem } from '../parts/problem.tsx';
import { KubectlLine } from '../parts/kubectl-line.tsx';
import { useRun } from '../parts/use-run.ts';
import { useApp } from '../shell/app-context.ts';

/** Walks through what Kubernetes does: a page of text beside the live picture. */
export function LearnView() {
  const { connection, walk } = useApp();
  const list = useSignal<LearnList | undefined>(undefined);
  const error = useSignal<unknown>(undefined);
  useRun(
    async (signal) => {
      try {
        list.value = await connection.own<LearnList>('learn', { signal });
      } catch (cause) {
        if (!signal.aborted) error.value = cause;
      }
    },
    [connection],
  );
  if (error.value !== undefined) return <Problem error={error.value} what="walks" />;
  return (
    <section aria-label="Learn">
      <header class="view-header">
        <h1>Learn</h1>
      </header>
      <ol class="walks">
        {(list.value?.walks ?? []).map(({ id, title, summary, steps }) => (
          <li key={id}>
            <button type="button" onClick={() => (walk.value = { id, step: 1 })}>
              <strong>{title}</strong>
              <span>{summary}</span>
              <small>{steps.length} steps</small>
            </button>
          </li>
        ))}
      </ol>
    </section>
  );
}

/** The step of a walk, beside whichever view the step looks at: it stays while the viewer moves through the page. */
export function WalkPanel() {
  const { connection, walk } = useApp();
  const found = useSignal<LearnWalk | undefined>(undefined);
  const walkId = walk.value?.id;
  const step = walk.value?.step ?? 1;
  useRun(
    async (signal) => {
      const list = await connection.own<LearnList>('learn', { signal });
      found.value = list.walks.find(({ id }) => id === walkId);
    },
    [connection, walkId],
  );
  const known = found.value;
  const current = known?.steps[step - 1];
  const look = current?.look;
  useRun(() => {
    if (look !== undefined) location.hash = `#/${look}`;
  }, [look, step]);
  if (known === undefined || current === undefined) return null;
  const go = (next: number | undefined): void => {
    walk.value = next === undefined ? undefined : { id: known.id, step: next };
  };
  return (
    <aside class="walk" aria-label={known.title}>
      <header>
        <small>
          {known.title}, {step} of {known.steps.length}
        </small>
        <button type="button" class="quiet" onClick={() => go(undefined)} aria-label="End the walk">
          ×
        </button>
      </header>
      <h2>{current.title}</h2>
      <StepText step={current} />
      <div class="buttons">
        <button type="button" disabled={step <= 1} onClick={() => go(step - 1)}>
          Back
        </button>
        <button type="button" class="primary" onClick={() => go(step >= known.steps.length ? undefined : step + 1)}>
          {step >= known.steps.length ? 'End' : 'Next'}
        </button>
      </div>
    </aside>
  );
}

function StepText({ step }: { readonly step: LearnStep }) {
  return (
    <>
      {step.text.split(/\n\s*\n/).map((paragraph) => (
        <p key={paragraph}>{withCode(paragraph)}</p>
      ))}
      {step.manifest === undefined ? null : <pre class="manifest">{step.manifest}</pre>}
      {step.commands.map((command) => (
        <KubectlLine key={command} command={command} />
      ))}
    </>
  );
}

/** Words in backticks are code; nothing else is markup. */
function withCode(text: string) {
  return text.split('`').map((part, index) => (index % 2 === 1 ? <code key={index}>{part}</code> : part));
}
