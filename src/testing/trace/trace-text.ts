import { linesOf, timeOf } from './trace-line.ts';
import type { TracePicture } from './trace-node.ts';

/** A trace as text: one line for each request and run, below its cause. */
export function traceText({ roots, forgotten }: TracePicture): string {
  const lines = linesOf(roots);
  const times = lines.map(({ node }) => timeOf(node));
  const width = Math.max(0, ...times.map(({ length }) => length));
  const text = lines.map(({ hasNext, title, detail, isBad }, index) => {
    const [own = false, ...above] = hasNext.slice(0, -1); // roots are not connected
    const bars = above.reverse().map((isOpen) => (isOpen ? '│  ' : '   '));
    const branch = hasNext.length === 1 ? '' : `${bars.join('')}${own ? '├─ ' : '└─ '}`;
    const suffix = detail === '' ? '' : ` · ${detail}`;
    return `${(times[index] ?? '').padStart(width)}  ${branch}${isBad ? '✗ ' : ''}${title}${suffix}\n`;
  });
  const first = forgotten === 0 ? '' : `… ${forgotten} earlier entries were forgotten\n`;
  return first + text.join('');
}
