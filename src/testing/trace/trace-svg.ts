import { linesOf, timeOf, type TraceLine } from './trace-line.ts';
import type { TracePicture } from './trace-node.ts';

/** Maximum number of rows in the drawing: browsers become slow with more. */
const MAX_ROWS = 5000;
const ROW = 24;
const INDENT = 22;
const LEFT = 86;
const TOP = 40;
/** The width of a letter of the monospaced font. */
const LETTER = 7.3;

const STYLE = `
  text { font: 12px ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; fill: #1f2933; dominant-baseline: middle }
  .time { fill: #7b8794; text-anchor: end } .detail { fill: #7b8794 } .bad { fill: #b42318 }
  .head { font-weight: bold } .line { fill: none; stroke: #cbd2d9; stroke-width: 1.5 }
  .write { fill: #d6e8ff; stroke: #5b9bd5 } .run { fill: #dff5e1; stroke: #58a866 } .failed { fill: #fde2e1; stroke: #d64545 }
  .back { fill: #ffffff }`;

/** Draws a trace: a row for each request and run, lines from cause to effect. */
export function traceSvg({ roots, forgotten }: TracePicture): string {
  const all = linesOf(roots);
  const lines = all.slice(0, MAX_ROWS);
  const left = all.length - lines.length;
  const notes = [
    ...(forgotten === 0 ? [] : [`${forgotten} earlier entries were forgotten`]),
    ...(left === 0 ? [] : [`${left} more are not drawn`]),
  ];
  const longest = Math.max(0, ...lines.map((line) => line.depth * INDENT + lengthOf(line) * LETTER));
  const width = Math.ceil(LEFT + longest + 60);
  const height = TOP + lines.length * ROW + 16;
  const title = `What led to what${notes.length === 0 ? '' : ` (${notes.join(', ')})`}`;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img">`,
    `<title>${escaped(title)}</title><style>${STYLE}</style>`,
    `<rect class="back" width="${width}" height="${height}"/>`,
    `<text class="head" x="16" y="20">${escaped(title)}</text>`,
    ...connectors(lines),
    ...lines.map(row),
    '</svg>\n',
  ].join('\n');
}

function lengthOf({ title, detail }: TraceLine): number {
  return title.length + detail.length + 4;
}

function row(line: TraceLine, index: number): string {
  const { node, depth, title, detail, isBad } = line;
  const [x, y] = [LEFT + depth * INDENT, TOP + index * ROW + ROW / 2];
  const mark = isBad ? 'failed' : node.type;
  const width = Math.ceil(title.length * LETTER + 16);
  const detailText =
    detail === ''
      ? ''
      : `<text class="${isBad ? 'bad' : 'detail'}" x="${x + width + 8}" y="${y}">${escaped(detail)}</text>`;
  return (
    `<g><title>${escaped(`${title}\n${detail}`.trim())}</title><text class="time" x="${LEFT - 12}" y="${y}">${escaped(timeOf(node))}</text>` +
    `<rect class="${mark}" x="${x}" y="${y - 9}" width="${width}" height="18" rx="${node.type === 'run' ? 9 : 3}"/>` +
    `<text x="${x + 8}" y="${y}">${escaped(title)}</text>${detailText}</g>`
  );
}

/** A line from each node down its left side to its last child, and one to each child. */
function connectors(lines: readonly TraceLine[]): readonly string[] {
  const above: number[] = [];
  return lines.flatMap(({ depth }, index) => {
    above[depth] = index;
    const parent = above[depth - 1];
    if (depth === 0 || parent === undefined) return [];
    const x = LEFT + (depth - 1) * INDENT + 10;
    const [from, to] = [TOP + parent * ROW + ROW / 2 + 9, TOP + index * ROW + ROW / 2];
    return [`<path class="line" d="M${x} ${from}V${to}H${x + INDENT - 10}"/>`];
  });
}

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

/** Control characters, which XML cannot carry, are left out. */
function escaped(text: string): string {
  // oxlint-disable-next-line no-control-regex
  return text
    .replaceAll(/[\0-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]/g, '')
    .replaceAll(/[&<>"]/g, (letter) => ENTITIES[letter] ?? '');
}
