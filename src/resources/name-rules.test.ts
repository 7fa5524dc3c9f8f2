import { expect, test } from 'vitest';
import { dns1035Name, labelName, pathSegmentName, subdomainName } from './name-rules.ts';

const whole = { prefix: false };
const prefix = { prefix: true };

test('a prefix may end where a whole name may not', () => {
  expect(subdomainName('web-', prefix)).toEqual([]);
  expect(subdomainName('web-', whole)).toHaveLength(1);
  expect(labelName('web-', prefix)).toEqual([]);
  expect(dns1035Name('web-', prefix)).toEqual([]);
});

test('names of roles only have to be path segments', () => {
  expect(pathSegmentName('system:node-admin', whole)).toEqual([]);
  expect(pathSegmentName('a/b', whole)).toEqual(["may not contain '/'"]);
  expect(pathSegmentName('.', whole)).toEqual(["may not be '.'"]);
  expect(pathSegmentName('.', prefix)).toEqual([]);
});

test('labels have no dots, and the older kind starts with a letter', () => {
  expect(labelName('a.b', whole)).not.toEqual([]);
  expect(labelName('1a', whole)).toEqual([]);
  expect(dns1035Name('1a', whole)).not.toEqual([]);
});
