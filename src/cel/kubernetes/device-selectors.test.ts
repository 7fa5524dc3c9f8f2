import { expect, test } from 'vitest';
import { type Device } from './device-data.ts';
import { DeviceSelectors } from './device-selectors.ts';

const device: Device = {
  driver: 'gpu.example.com',
  attributes: { model: { string: 'a100' }, 'other.example.com/index': { int: 3 }, version: { version: '1.2.3' } },
  capacity: { memory: { value: '40Gi' } },
};

function match(text: string): unknown {
  const selectors = new DeviceSelectors();
  const compiled = selectors.compile(text);
  return compiled.ok ? selectors.matches(compiled.program, device) : compiled.problem.detail;
}

test('attributes and capacity are found by domain and name; the driver is the domain of short names', () => {
  expect(match("device.attributes['gpu.example.com'].model == 'a100'")).toMatchObject({ ok: true, matches: true });
  expect(match("device.attributes['other.example.com'].index == 3")).toMatchObject({ ok: true, matches: true });
  expect(match("device.capacity['gpu.example.com'].memory.isGreaterThan(quantity('20Gi'))")).toMatchObject({
    matches: true,
  });
  expect(match("device.attributes['gpu.example.com'].version.isLessThan(semver('2.0.0'))")).toMatchObject({
    matches: true,
  });
});

test('a missing domain is empty', () => {
  expect(match("has(device.attributes['none.example.com'].model)")).toMatchObject({ ok: true, matches: false });
});

test('a selector must be a bool', () => {
  expect(match('device.driver')).toContain('must evaluate to bool');
});
