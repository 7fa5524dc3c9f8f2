/** What Cyclonus' JUnit file says. */
export interface CyclonusReport {
  readonly tests: number;
  /** Names of the tests that failed. */
  readonly failed: readonly string[];
}

/** Counts the test cases themselves: the attribute `tests` of the suite is always 0. */
export function readCyclonusReport(junit: string): CyclonusReport {
  const cases = [...junit.matchAll(/<testcase\s(?:[^>]*?\s)?name="([^"]*)"[^>]*?(\/>|>([^]*?)<\/testcase>)/g)];
  const failed = cases.filter(([, , , content = '']) => content.includes('<failure')).map(([, name = '']) => name);
  return { tests: cases.length, failed };
}
