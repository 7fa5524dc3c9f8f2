/** Groups items by labels: one sample per distinct set of labels, with its count. */
export function countByLabels<Labels extends Readonly<Record<string, string>>>(
  all: Iterable<Labels>,
): { readonly labels: Labels; readonly value: number }[] {
  const counts = new Map<string, { readonly labels: Labels; value: number }>();
  for (const labels of all) {
    const key = Object.values(labels).join('\0');
    const count = counts.get(key) ?? { labels, value: 0 };
    count.value += 1;
    counts.set(key, count);
  }
  return [...counts.values()];
}
