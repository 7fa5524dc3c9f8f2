import { createSecureContext } from 'node:tls';
import { expect, test } from 'vitest';
import { FlagError } from '../flag.ts';
import { tlsOf } from './tls-settings.ts';

function curvesOf(...tlsCurvePreferences: readonly number[]): readonly string[] | undefined {
  return tlsOf({ tlsCipherSuites: [], tlsMinVersion: '', tlsCurvePreferences }).curves;
}

test('key exchanges have the numbers of TLS; what cannot be offered is refused by its number', () => {
  expect(curvesOf()).toBeUndefined();
  const curves = curvesOf(29, 23);
  expect(curves).toEqual(['X25519', 'P-256']);
  expect(() => createSecureContext({ ecdhCurve: curves?.join(':') ?? '' })).not.toThrow();
  expect(() => curvesOf(23, 23)).toThrow(new FlagError('tlsCurvePreferences: duplicate curve preference 23'));
  expect(() => curvesOf(0)).toThrow('curve preference 0 is out of range (must be 1-65535)');
  expect(() => curvesOf(7)).toThrow('curve preference 7 is not known');
});
