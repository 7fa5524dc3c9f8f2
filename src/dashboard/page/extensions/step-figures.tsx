import type { StepFigures } from '../../protocol.ts';
import { formatDuration } from '../browser/ages.ts';

/** What recent requests say about a step. */
export function Figures({ seen }: { readonly seen: StepFigures | undefined }) {
  if (seen === undefined || seen.count === 0) return <span class="hint">not asked lately</span>;
  return (
    <span class="figures">
      <span>{seen.count}×</span>
      <span title="median">{formatDuration(seen.medianMs)}</span>
      <span class="hint">at most {formatDuration(seen.maxMs)}</span>
      {seen.refused > 0 ? <span class="state busy">{seen.refused} refused</span> : null}
      {seen.failed > 0 ? <span class="state bad">{seen.failed} failed</span> : null}
    </span>
  );
}
