import type { RequestStep, RequestTrace } from '../../protocol.ts';
import { formatDuration } from '../browser/ages.ts';
import { StateMark } from '../parts/state-mark.tsx';
import type { Tone } from '../parts/tone.ts';

const TONES: Readonly<Record<string, Tone>> = {
  passed: 'good',
  allowed: 'good',
  allow: 'good',
  changed: 'busy',
  refused: 'bad',
  denied: 'bad',
  deny: 'bad',
  failed: 'bad',
  unfinished: 'busy',
};

/** What each stage, webhook and policy decided about a request, and how long each took, on one line of time. */
export function RequestSteps({ trace }: { readonly trace: RequestTrace }) {
  const whole = Math.max(trace.durationMs, 0.001);
  return (
    <ol class="steps" aria-label="Stages of the request">
      {trace.steps.map((step, index) => (
        <StepRow key={index} step={step} whole={whole} depth={0} />
      ))}
    </ol>
  );
}

function StepRow({
  step,
  whole,
  depth,
}: {
  readonly step: RequestStep;
  readonly whole: number;
  readonly depth: number;
}) {
  const { name, startMs, durationMs, decision, by, reason, patch, isConcealed, steps } = step;
  const left = Math.min(100, (100 * startMs) / whole);
  const width = Math.max(0.4, Math.min(100 - left, (100 * durationMs) / whole));
  return (
    <li>
      <div class="step">
        <span class={`step-name depth-${Math.min(depth, 3)}`}>{name}</span>
        <StateMark text={decision} tone={TONES[decision] ?? 'plain'} />
        <span class="bar" aria-hidden="true">
          <span style={{ insetInlineStart: `${left}%`, width: `${width}%` }} />
        </span>
        <span class="took">{formatDuration(durationMs)}</span>
        {by === undefined && reason === undefined ? null : (
          <p class="step-reason">
            {by === undefined ? '' : `by ${by}`}
            {by !== undefined && reason !== undefined ? ': ' : ''}
            {reason}
          </p>
        )}
        {patch === undefined || patch.length === 0 ? null : (
          <ul class="patch">
            {patch.map((operation, index) => (
              <li key={index}>
                <code>
                  <span class={`op ${operation.op}`}>{operation.op}</span> {operation.path}
                  {isConcealed === true
                    ? ' (value hidden)'
                    : operation.value === undefined
                      ? ''
                      : ` = ${short(JSON.stringify(operation.value))}`}
                </code>
              </li>
            ))}
          </ul>
        )}
      </div>
      {steps === undefined || steps.length === 0 ? null : (
        <ol>
          {steps.map((inner, index) => (
            <StepRow key={index} step={inner} whole={whole} depth={depth + 1} />
          ))}
        </ol>
      )}
    </li>
  );
}

const MAX_VALUE = 300;

function short(text: string): string {
  return text.length > MAX_VALUE ? `${text.slice(0, MAX_VALUE)}…` : text;
}
