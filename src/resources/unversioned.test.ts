import { expect, test } from 'vitest';
import { nested, unversioned } from './unversioned.ts';

test('shows every member by its Go name, also absent ones', () => {
  const members = { Type: '', SELinuxOptions: nested({ User: '', Level: '' }), IPFamilies: null, Other: nested({}) };
  expect(unversioned({ type: 'x', seLinuxOptions: { user: 'u' }, ipFamilies: ['IPv4'] }, members)).toEqual({
    Type: 'x',
    SELinuxOptions: { User: 'u', Level: '' },
    IPFamilies: ['IPv4'],
    Other: null,
  });
});
