import type { CaseReport, SuiteReport } from './run-suite.ts';

/** The lines of one case, for people. A rule that is only advised is a warning. */
export function caseText({ name, title, rule, source, level, outcome }: CaseReport): string {
  switch (outcome.type) {
    case 'passed':
      return `ok    ${name}: ${title}`;
    case 'skipped':
      return `skip  ${name}: ${title} (${outcome.message})`;
    case 'failed': {
      const word = level === 'must' ? 'FAIL' : 'WARN';
      const lines = outcome.message.split('\n').map((line) => `        ${line}`);
      return [`${word}  ${name}: ${title}`, ...lines, `        ${source}: ${rule}`].join('\n');
    }
  }
}

/** One line about the whole. */
export function summaryText(report: SuiteReport): string {
  const { passed, failed, warned, skipped } = countsOf(report);
  const parts = [`${passed} passed`, `${failed} failed`, `${warned} warned`, `${skipped} skipped`];
  return `${report.title}: ${parts.join(', ')}`;
}

export function reportJson(report: SuiteReport): string {
  return `${JSON.stringify({ ...report, counts: countsOf(report) }, undefined, 2)}\n`;
}

/** JUnit's XML, which most CI systems read. */
export function reportJunit(report: SuiteReport): string {
  const { kind, title, subject, startedAt, durationMs, cases } = report;
  const { failed, warned, skipped } = countsOf(report);
  const head = `name=${attribute(`${title}: ${subject}`)} tests="${cases.length}" failures="${failed + warned}" errors="0" skipped="${skipped}"`;
  const lines = cases.map((each) => {
    const open = `    <testcase classname=${attribute(`keelson.conform.${kind}`)} name=${attribute(`${each.name}: ${each.title}`)} time="${seconds(each.durationMs)}"`;
    const inner = innerOf(each);
    return inner === '' ? `${open}/>` : `${open}>\n      ${inner}\n    </testcase>`;
  });
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    '<testsuites>',
    `  <testsuite ${head} timestamp=${attribute(startedAt)} time="${seconds(durationMs)}">`,
    ...lines,
    '  </testsuite>',
    '</testsuites>',
    '',
  ].join('\n');
}

interface Counts {
  readonly passed: number;
  /** Broken rules that must be kept. */
  readonly failed: number;
  /** Broken rules that should be kept. */
  readonly warned: number;
  readonly skipped: number;
}

function countsOf({ cases }: SuiteReport): Counts {
  const count = (is: (report: CaseReport) => boolean): number => cases.filter(is).length;
  return {
    passed: count(({ outcome }) => outcome.type === 'passed'),
    failed: count(({ outcome, level }) => outcome.type === 'failed' && level === 'must'),
    warned: count(({ outcome, level }) => outcome.type === 'failed' && level === 'should'),
    skipped: count(({ outcome }) => outcome.type === 'skipped'),
  };
}

function innerOf({ outcome, level, rule, source }: CaseReport): string {
  if (outcome.type === 'passed') return '';
  if (outcome.type === 'skipped') return `<skipped message=${attribute(outcome.message)}/>`;
  const text = escaped(`${outcome.message}\n${source}: ${rule}`);
  return `<failure type="${level}" message=${attribute(outcome.message.split('\n', 1)[0] ?? '')}>${text}</failure>`;
}

function seconds(ms: number): string {
  return (ms / 1000).toFixed(3);
}

function attribute(text: string): string {
  return `"${escaped(text).replaceAll('"', '&quot;').replaceAll('\n', '&#10;')}"`;
}

/** XML 1.0 has no place for control characters, escaped or not. */
function escaped(text: string): string {
  const plain = text.replaceAll(/[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu, '\uFFFD');
  return plain.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
