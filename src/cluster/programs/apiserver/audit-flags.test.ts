import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { Flags } from '../../../cli/flags.ts';
import { auditFlags, auditSettings } from './audit-flags.ts';

const policy = join(mkdtempSync(join(tmpdir(), 'keelson-flags-')), 'policy.yaml');
writeFileSync(policy, 'apiVersion: audit.k8s.io/v1\nkind: Policy\nrules: [{ level: Metadata }]\n');

function settings(...args: string[]): ReturnType<typeof auditSettings> {
  const flags = new Flags([`--audit-policy-file=${policy}`, ...args], auditFlags);
  return auditSettings(flags, { print: () => undefined, printError: () => undefined });
}

test('the log is rotated by days, megabytes and number', () => {
  const { audit } = settings(
    '--audit-log-path=/log',
    '--audit-log-maxage=2',
    '--audit-log-maxsize=3',
    '--audit-log-maxbackup=4',
  );
  expect(audit?.log?.to).toEqual({
    path: '/log',
    maxAge: 172_800_000,
    maxBytes: 3_145_728,
    maxBackups: 4,
    isCompressing: false,
  });
});

test('a policy without a log or a webhook writes down nothing', () => {
  expect(settings()).toEqual({});
});
