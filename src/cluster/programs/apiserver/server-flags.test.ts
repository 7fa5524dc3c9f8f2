import { expect, test } from 'vitest';
import { Flags } from '../../../cli/flags.ts';
import { serverFlags, serverSettings } from './server-flags.ts';

function disabledBy(...args: readonly string[]): readonly string[] | undefined {
  return serverSettings(new Flags(args, serverFlags)).admission.disable;
}

test('admission plugins are switched off by name', () => {
  expect(disabledBy()).toEqual([]);
  expect(
    disabledBy('--disable-admission-plugins=ServiceAccount,Priority', '--enable-admission-plugins', 'LimitRanger'),
  ).toEqual(['ServiceAccount', 'Priority']);
});

test('unknown admission plugins are refused', () => {
  expect(() => disabledBy('--disable-admission-plugins', 'Unheard')).toThrow(
    'disable-admission-plugins plugin "Unheard" is unknown',
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

test('authorization modes are taken in their order, and errors in them are reported as upstream does', () => {
  const modes = (...args: readonly string[]): unknown =>
    serverSettings(new Flags(args, serverFlags)).access.authorization;
  expect(modes()).toEqual({});
  expect(modes('--authorization-mode=RBAC,AlwaysDeny')).toEqual({ modes: ['RBAC', 'AlwaysDeny'] });
  expect(() => modes('--authorization-mode=rbac')).toThrow('authorization-mode "rbac" is not a valid mode');
  expect(() => modes('--authorization-mode=Webhook')).toThrow(
    "authorization-mode Webhook's authorization config file not passed",
  );
  expect(() => modes('--authorization-mode=RBAC,RBAC')).toThrow(
    'authorization-mode ["RBAC" "RBAC"] has mode specified more than once',
  );
  expect(() => modes('--authorization-mode=ABAC')).toThrow(
    "authorization-mode ABAC's authorization policy file not passed",
  );
  expect(() => modes('--authorization-policy-file', import.meta.filename)).toThrow(
    'cannot specify --authorization-policy-file without mode ABAC',
  );
});

test('the advertised address and the external host name are where clients are sent', () => {
  const of = (...args: readonly string[]): object => serverSettings(new Flags(args, serverFlags)).serving;
  expect(of('--advertise-address=192.0.2.7', '--external-hostname=api.example.com')).toMatchObject({
    advertiseAddress: '192.0.2.7',
    externalHost: 'api.example.com',
  });
  expect(of('--external-hostname=')).not.toHaveProperty('externalHost');
});
