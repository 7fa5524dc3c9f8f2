import { useMemo } from 'preact/hooks';
import { VirtualRows } from '../parts/virtual-rows.tsx';
import { differenceOf, type DifferenceLine } from './line-difference.ts';
import { textOfLine, yamlLines } from './yaml-lines.ts';

export interface DifferenceViewProps {
  /** Undefined where there is no object, such as before its creation. */
  readonly before: unknown;
  readonly after: unknown;
  readonly label: string;
}

type Shown = DifferenceLine | { readonly type: 'gap'; readonly text: string };

const LINE_HEIGHT = 20;
/** Lines that are the same, shown around those that differ. */
const AROUND = 3;

/** What is different between two objects, as lines of their YAML. */
export function DifferenceView({ before, after, label }: DifferenceViewProps) {
  const lines = useMemo(
    () => shortened(differenceOf(textsOf(before), textsOf(inOrderOf(after, before)))),
    [before, after],
  );
  if (!lines.some(({ type }) => type === 'added' || type === 'removed'))
    return <p class="empty">There is no difference.</p>;
  return (
    <VirtualRows
      class="yaml difference"
      label={label}
      count={lines.length}
      rowHeight={LINE_HEIGHT}
      renderRow={(index) => {
        const line = lines[index];
        if (line === undefined) return null;
        const sign = line.type === 'added' ? '+' : line.type === 'removed' ? '−' : ' ';
        return (
          <div key={index} class={`yaml-row ${line.type}`} role="listitem">
            <span class="sign">{sign}</span>
            <code class="yaml-line">{line.text}</code>
          </div>
        );
      }}
    />
  );
}

/** How many lines were removed and added, such as `+3 −1`. */
export function countsOf(before: unknown, after: unknown): string {
  const lines = differenceOf(textsOf(before), textsOf(inOrderOf(after, before)));
  const count = (type: string): number => lines.filter((line) => line.type === type).length;
  return `+${count('added')} −${count('removed')}`;
}

function textsOf(value: unknown): string[] {
  return value === undefined ? [] : yamlLines(value).map(textOfLine);
}

function shortened(lines: readonly DifferenceLine[]): Shown[] {
  const isNear = new Uint8Array(lines.length);
  lines.forEach(({ type }, index) => {
    if (type !== 'same') isNear.fill(1, Math.max(0, index - AROUND), index + AROUND + 1);
  });
  const shown: Shown[] = [];
  lines.forEach((line, index) => {
    if (isNear[index] === 1) shown.push(line);
    else if (index === 0 || isNear[index - 1] === 1) shown.push({ type: 'gap', text: '⋯' });
  });
  return shown;
}

/** Members in the order of another object's members, so that only what they hold can differ. */
function inOrderOf(value: unknown, other: unknown): unknown {
  if (Array.isArray(value) && Array.isArray(other))
    return value.map((element, index) => inOrderOf(element, other[index]));
  if (!isObject(value) || !isObject(other)) return value;
  const names = [...Object.keys(other).filter((name) => Object.hasOwn(value, name)), ...Object.keys(value)];
  return Object.fromEntries([...new Set(names)].map((name) => [name, inOrderOf(value[name], other[name])]));
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
