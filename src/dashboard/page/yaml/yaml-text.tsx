import { textOfLine, type YamlLine } from './yaml-lines.ts';

/** A line of YAML with its colours. All of it is text, whatever the object holds. */
export function YamlText({ line }: { readonly line: YamlLine }) {
  const { indent, dashes, key, value, type } = line;
  if (key === undefined) {
    return (
      <code class="yaml-line">
        {' '.repeat(indent)}
        {dashes}
        <span class={`v-${type}`}>{value}</span>
      </code>
    );
  }
  const whole = textOfLine({ ...line, value: '' });
  return (
    <code class="yaml-line">
      {' '.repeat(indent)}
      {dashes}
      <span class="v-key">{whole.slice(indent + dashes.length, -1)}</span>:{value === '' ? '' : ' '}
      <span class={`v-${type}`}>{value}</span>
    </code>
  );
}
