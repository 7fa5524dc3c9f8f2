import { expect, test } from 'vitest';
import { Flags } from '../flags.ts';
import { serverFlags, serverSettings } from './server-flags.ts';

function disabledBy(...args: readonly string[]): readonly string[] {
  return serverSettings(new Flags(args, serverFlags)).disableAdmission;
}

test('admission plugins are switched off by name', () => {
  expect(disabledBy()).toEqual([]);
  expect(
    disabledBy('--disable-admission-plugins=ServiceAccount,Priority', '--enable-admission-plugins', 'LimitRanger'),
  ).toEqual(['ServiceAccount', 'Priority']);
});

test('admission plugins that nobody knows are refused', () => {
  expect(() => disabledBy('--disable-admission-plugins', 'Nobody')).toThrow(
    'disable-admission-plugins plugin "Nobody" is unknown',
  );
  expect(() => disabledBy('--enable-admission-plugins', 'serviceaccount')).toThrow(
    'enable-admission-plugins plugin "serviceaccount" is unknown',
  );
});

test('what is both on and off is refused', () => {
  const args = ['--enable-admission-plugins=Priority', '--disable-admission-plugins=Priority'];
  expect(() => disabledBy(...args)).toThrow(
    '[Priority] in enable-admission-plugins and disable-admission-plugins overlapped',
  );
});

test('an admission plugin that is not there yet is not promised', () => {
  expect(() => disabledBy('--enable-admission-plugins=NodeRestriction')).toThrow(
    'enable-admission-plugins plugin "NodeRestriction" is not there yet',
  );
  expect(disabledBy('--disable-admission-plugins=NodeRestriction')).toEqual(['NodeRestriction']);
});
