import { expect, test } from 'vitest';
import { parseNetworkConfiguration } from './network-configuration.ts';

const read = (more: object): ReturnType<typeof parseNetworkConfiguration> =>
  parseNetworkConfiguration(JSON.stringify({ name: 'a', plugins: [{ type: 'bridge' }], ...more }));

test.each([
  [{}, ''],
  [{ cniVersion: '0.4.0' }, '0.4.0'],
  [{ cniVersions: ['0.3.1', '1.0.0', '0.4.0'] }, '1.0.0'],
  [{ cniVersion: '1.1.0', cniVersions: ['0.3.1', '1.0.0'] }, '1.1.0'],
  [{ cniVersion: '0.4.0', cniVersions: ['2.0.0', '1.2.0'] }, '0.4.0'],
  [{ cniVersion: '9.0.0' }, '9.0.0'],
  [{ cniVersion: '9.0.0', cniVersions: ['1.0.0'] }, '1.0.0'],
])('of the versions %j, %j is spoken', (versions, spoken) => {
  expect(read(versions).cniVersion).toBe(spoken);
});

test('flags may be words, as libcni takes them', () => {
  expect(read({ disableCheck: 'TRUE', disableGC: 'false', loadOnlyInlinedPlugins: true })).toMatchObject({
    disableCheck: true,
    disableGC: false,
    loadOnlyInlinedPlugins: true,
  });
});

test.each([
  ['{"name":', 6, 'cannot read network configuration'],
  ['[]', 6, 'it must be a JSON object, got a list'],
  ['{"plugins":[{"type":"a"}]}', 7, 'missing network name'],
  ['{"name":"../a"}', 7, 'invalid characters found in network name'],
  ['{"name":7}', 6, '"name" must be a string, got 7'],
  ['{"name":"a","plugins":[]}', 7, '"plugins" must have 1 to 100 plugins, got 0'],
  ['{"name":"a","plugins":{}}', 6, '"plugins" must be a list, got an object'],
  ['{"name":"a","plugins":[7]}', 6, '"plugins[0]" must be an object, got 7'],
  ['{"name":"a","plugins":[{"type":""}]}', 7, 'plugins[0] of network configuration; it has no "type"'],
  ['{"name":"a","plugins":[{"type":"a/b"}]}', 7, 'the name of a program without a folder, got "a/b"'],
  ['{"name":"a","plugins":[{"type":"a","capabilities":{"b":1}}]}', 6, '"b" must be true or false, got 1'],
  ['{"name":"a","plugins":[{"type":"a","dns":{"search":[1]}}]}', 6, '"search[0]" must be a string, got 1'],
  ['{"name":"a","plugins":[{"type":"a","ipam":"b"}]}', 6, '"ipam" must be an object, got "b"'],
  ['{"name":"a","disableCheck":"perhaps"}', 6, '"disableCheck" must be true or false, got "perhaps"'],
  ['{"name":"a","loadOnlyInlinedPlugins":true}', 7, 'there is no "plugins"'],
  ['{"name":"a","cniVersions":["1.x"]}', 6, 'invalid CNI version "1.x"'],
  ['{"name":"a","cniVersions":[""]}', 6, '"cniVersions" contains an empty version'],
  [`{"name":"a","b":${'['.repeat(200)}${']'.repeat(200)}}`, 6, 'it is nested deeper than 100'],
])('%s is refused', (text, code, message) => {
  const parse = (): unknown => parseNetworkConfiguration(text);
  expect(parse).toThrow(message);
  expect(parse).toThrow(expect.objectContaining({ code }));
});
