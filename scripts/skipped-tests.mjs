// What `npm test` says about the tests that were skipped: how many for which reason, and which.

/**
 * Lines about the skipped tests of a vitest report; none when all were run. The first line counts them by reason:
 * `12 skipped: etcd not found (8), openssl not found (4)`; the others name suites, or tests outside of any.
 */
export function skippedTests(report, root) {
  const reasons = new Map();
  for (const { name: file, assertionResults } of report.testResults) {
    for (const { status, ancestorTitles, title, meta } of assertionResults) {
      if (status === 'passed' || status === 'failed') continue;
      const reason = meta?.skipReason ?? 'no reason given';
      const suites = reasons.get(reason) ?? new Map();
      const suite = `${file.replace(`${root}/`, '')}: ${ancestorTitles[0] ?? title}`;
      reasons.set(reason, suites.set(suite, (suites.get(suite) ?? 0) + 1));
    }
  }
  const counted = [...reasons].map(([reason, suites]) => ({ reason, suites, count: sum(suites.values()) }));
  counted.sort((left, right) => right.count - left.count);
  if (counted.length === 0) return [];
  const total = sum(counted.map(({ count }) => count));
  return [
    `${total} skipped: ${counted.map(({ reason, count }) => `${reason} (${count})`).join(', ')}`,
    ...counted.flatMap(({ reason, suites }) => [...suites].map(([suite, count]) => `  ${reason}: ${suite} (${count})`)),
  ];
}

function sum(counts) {
  return [...counts].reduce((total, count) => total + count, 0);
}
