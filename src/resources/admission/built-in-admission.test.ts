import { expect, test } from 'vitest';
import { jsonStorage, ServerObjects } from '../../apiserver/index.ts';
import { discardLogger, SeededRandom, VirtualClock } from '../../base/index.ts';
import { openMemoryStore } from '../../store/index.ts';
import { builtInAdmission } from './built-in-admission.ts';

function namesWithout(...disabled: readonly string[]): string[] {
  const clock = new VirtualClock();
  const objects = new ServerObjects({
    store: openMemoryStore({ clock }),
    codecFor: ({ storage }) => jsonStorage(storage.type),
    clock,
    log: discardLogger,
  });
  return builtInAdmission({ objects, clock, random: new SeededRandom(1) }, { disable: disabled }).map(
    ({ name }) => name,
  );
}

const CERTIFICATES = ['CertificateApproval', 'CertificateSigning', 'CertificateSubjectRestriction'];

test("plugins run in kube-apiserver's order", () => {
  expect(namesWithout()).toEqual([
    'NamespaceLifecycle',
    'LimitRanger',
    'ServiceAccount',
    'TaintNodesByCondition',
    'Priority',
    'DefaultTolerationSeconds',
    'RuntimeClass',
    ...CERTIFICATES,
  ]);
});

test('plugins can be switched off by name, also those that are not there', () => {
  expect(namesWithout('Priority', 'RuntimeClass', 'ResourceQuota', 'ServiceAccount')).toEqual([
    'NamespaceLifecycle',
    'LimitRanger',
    'TaintNodesByCondition',
    'DefaultTolerationSeconds',
    ...CERTIFICATES,
  ]);
});

test('a plugin that nobody knows cannot be switched off', () => {
  expect(() => namesWithout('priority')).toThrow(
    'Cannot choose admission plugins: disable-admission-plugins plugin "priority" is unknown',
  );
});
