import { expect, test } from 'vitest';
import { readCyclonusReport } from './cyclonus-report.ts';

test('every test case of a report by Cyclonus counts, whatever the attributes of the suite say', () => {
  const report = `<testsuite tests="0" failures="0" time="" name="cyclonus">
    <properties></properties>
    <testcase classname="" name="set namespace to x" time=""></testcase>
    <testcase classname="" name="deny all" time="">
        <failure message="Failed" type=""></failure>
    </testcase>
    <testcase name="allow all"/>
</testsuite>`;

  expect(readCyclonusReport(report)).toEqual({ tests: 3, failed: ['deny all'] });
  expect(readCyclonusReport('<testsuite tests="0"></testsuite>')).toEqual({ tests: 0, failed: [] });
});
