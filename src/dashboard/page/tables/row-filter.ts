import type { Row } from './table-rows.ts';

/** Whether all words of a text occur in a row: in its name, namespace, cells, or labels as `name=value`. */
export function matcherOf(text: string): ((row: Row) => boolean) | undefined {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return undefined;
  return (row) => words.every((word) => hasWord(row, word));
}

function hasWord(row: Row, word: string): boolean {
  if (row.name.includes(word) || row.namespace.includes(word)) return true;
  if (row.cells.some((cell) => cell.toLowerCase().includes(word))) return true;
  return Object.entries(row.labels).some(([name, value]) => `${name}=${value}`.toLowerCase().includes(word));
}
