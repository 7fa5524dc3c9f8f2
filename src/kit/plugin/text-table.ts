/** Lines of a table as kubectl prints them: columns as wide as their widest value, three spaces apart. */
export function textTable(headers: readonly string[], rows: readonly (readonly unknown[])[]): readonly string[] {
  const cells = [headers, ...rows].map((row) => headers.map((_, at) => cellText(row[at])));
  const widths = headers.map((_, at) => cells.reduce((widest, row) => Math.max(widest, (row[at] ?? '').length), 0));
  return cells.map((row) =>
    row
      .map((cell, at) => cell.padEnd((widths[at] ?? 0) + GAP))
      .join('')
      .trimEnd(),
  );
}

const GAP = 3;

function cellText(value: unknown): string {
  if (value === undefined || value === null || value === '') return '<none>';
  const text = typeof value === 'object' ? JSON.stringify(value) : String(value as string | number | boolean);
  // oxlint-disable-next-line no-control-regex -- what a cluster holds must not control a terminal
  return text.replaceAll(/[\u0000-\u001f\u007f-\u009f]/g, ' ');
}
