import { expect, test } from 'vitest';
import { isSetAt, memberPath, withoutAt } from './nested-members.ts';

const spec = {
  volumes: [{ name: 'a', emptyDir: { mode: 448, medium: 'Memory' } }, { name: 'b', emptyDir: {} }, { name: 'c' }],
  devices: { cpu: { overhead: 1 }, memory: {} },
};

test('isSetAt() looks into all items of lists and values of maps', () => {
  expect(isSetAt(spec, memberPath('volumes[].emptyDir.mode'))).toBe(true);
  expect(isSetAt(spec, memberPath('volumes[].emptyDir.sizeLimit'))).toBe(false);
  expect(isSetAt(spec, memberPath('devices[].overhead'))).toBe(true);
  expect(isSetAt({ volumes: null }, memberPath('volumes[].emptyDir.mode'))).toBe(false);
  expect(isSetAt(undefined, memberPath('volumes'))).toBe(false);
});

test('withoutAt() leaves out what is at the path, and changes nothing of the given value', () => {
  const before = JSON.stringify(spec);
  expect(withoutAt(spec, memberPath('volumes[].emptyDir.mode'))).toEqual({
    volumes: [{ name: 'a', emptyDir: { medium: 'Memory' } }, { name: 'b', emptyDir: {} }, { name: 'c' }],
    devices: spec.devices,
  });
  expect(withoutAt(spec, memberPath('devices[].overhead'))).toMatchObject({ devices: { cpu: {}, memory: {} } });
  expect(withoutAt(spec, memberPath('devices'))).toEqual({ volumes: spec.volumes });
  expect(withoutAt(spec, memberPath('nothing[].here'))).toBe(spec);
  expect(JSON.stringify(spec)).toBe(before);
});
