/** Rows as kube-apiserver writes them: cells end with a comma, columns are as wide as their widest cell and at least eight characters. */
export function alignedRows(rows: readonly (readonly string[])[]): string {
  const widths: number[] = [];
  for (const row of rows) {
    row.forEach((cell, column) => {
      widths[column] = Math.max(widths[column] ?? MIN_WIDTH, cell.length + 2);
    });
  }
  const line = (row: readonly string[]): string =>
    row.map((cell, column) => (column === row.length - 1 ? cell : `${cell},`.padEnd(widths[column] ?? 0))).join('');
  return rows.map((row) => `${line(row)}\n`).join('');
}

const MIN_WIDTH = 8;
