import { toneOf, type Tone } from './tone.ts';

export function StateMark({ text, tone = toneOf(text) }: { readonly text: string; readonly tone?: Tone }) {
  return (
    <span class={`state ${tone}`}>
      <span class="mark" aria-hidden="true" />
      {text}
    </span>
  );
}
