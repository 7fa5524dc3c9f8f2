// What `npm test` prints at its end about the checks and tests that failed. `.ci/run` repeats these lines at its own end.

/** How each line begins. */
export const FAILED = 'FAILED ';

/** Lines of a message that are shown. */
const MAX_LINES = 12;

/** What failed in a vitest report: a line for the test or the file that could not be loaded, then its message. */
export function failedTests(report, root) {
  return report.testResults.flatMap(({ name, status, message, assertionResults }) => {
    const file = name.replace(`${root}/`, '');
    const failed = assertionResults.filter((test) => test.status === 'failed');
    if (failed.length === 0) return status === 'failed' ? describeFailure(file, message ?? '') : [];
    return failed.flatMap(({ fullName, failureMessages }) =>
      describeFailure(`${file}: ${fullName}`, (failureMessages ?? []).join('\n')),
    );
  });
}

/** A line for what failed, and the first lines of its message. */
export function describeFailure(what, message) {
  const lines = message.split('\n').slice(0, MAX_LINES);
  return [`${FAILED}${what}`, ...lines.map((line) => `${FAILED}    ${line}`)];
}
