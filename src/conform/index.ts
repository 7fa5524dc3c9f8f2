// What other folders may use: suites that judge other people's extensions, and their reports.
export { Breach, type ConformCase, type ConformSuite, type ConformWorld, expectThat, type RuleLevel } from './suite.ts';
export {
  type CaseOutcome,
  type CaseReport,
  isConforming,
  runSuite,
  type SuiteReport,
  type SuiteRunOptions,
} from './run-suite.ts';
export { caseText, reportJson, reportJunit, summaryText } from './reports.ts';
export type { SuiteCluster, SuiteFlag, SuiteFlagValues, SuiteKind, SuiteRequest } from './suite-request.ts';
export { suiteKinds } from './suite-kinds.ts';
