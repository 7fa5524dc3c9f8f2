import { describe, expect, test } from 'vitest';
import { readAdmissionConfiguration } from './admission-configuration.ts';

const HEAD = 'apiVersion: apiserver.config.k8s.io/v1\nkind: AdmissionConfiguration\n';
const PLUGINS = ['PodSecurity', 'ImagePolicyWebhook', 'PodNodeSelector'];

function reading(files: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  const read = (path: string): string => {
    const text = files[path];
    if (text === undefined) throw Object.assign(new Error('no such file'), { code: 'ENOENT' });
    return text;
  };
  return readAdmissionConfiguration({ path: '/etc/admission.yaml', read, plugins: PLUGINS });
}

const alone = (text: string): Readonly<Record<string, string>> => reading({ '/etc/admission.yaml': text });

test('plugins get their part of the file, or of files beside it; files of plugins that do not run are ignored', () => {
  const text = `${HEAD}plugins:
- name: PodSecurity
  configuration: {kind: A, b: [1]}
- name: PodSecurity
  configuration: {kind: Second}
- name: ImagePolicyWebhook
  path: image.yaml
- name: PodNodeSelector
  path: /elsewhere/selector.yaml
- name: EventRateLimit
  path: nowhere.yaml
`;
  const files = { '/etc/admission.yaml': text, '/etc/image.yaml': 'image', '/elsewhere/selector.yaml': 'selector' };
  expect(reading(files)).toEqual({
    PodSecurity: '{"b":[1],"kind":"A"}',
    ImagePolicyWebhook: 'image',
    PodNodeSelector: 'selector',
  });
});

test('the older version is equivalent, in JSON too', () => {
  const configuration = { apiVersion: 'apiserver.config.k8s.io/v1alpha1', kind: 'AdmissionConfiguration' };
  const plugins = [{ name: 'PodSecurity', configuration: {} }];
  expect(alone(JSON.stringify({ ...configuration, plugins }))).toEqual({ PodSecurity: '{}' });
});

test.each(['imagePolicy: {kubeConfigFile: /x}', 'podNodeSelectorPluginConfig: {a: b}'])(
  'files from before there was a kind are those of the plugins that had some: %s',
  (text) => {
    expect(alone(text)).toEqual({ ImagePolicyWebhook: text, PodNodeSelector: text });
  },
);

/** As kube-apiserver 1.36.3 words it after `failed to apply admission: `. */
describe('refuses invalid files in the words of kube-apiserver', () => {
  test.each([
    ['', "Object 'Kind' is missing in ''"],
    ['a: b: c', 'yaml: mapping values are not allowed in this context'],
    ['plugins: []', "Object 'Kind' is missing in 'plugins: []'"],
    ['kind: AdmissionConfiguration', "Object 'apiVersion' is missing in 'kind: AdmissionConfiguration'"],
    [
      'apiVersion: apiserver.config.k8s.io/v1\nkind: Foo',
      'no kind "Foo" is registered for version "apiserver.config.k8s.io/v1" in scheme "pkg/runtime/scheme.go:111"',
    ],
    [
      'apiVersion: apiserver.config.k8s.io/v1beta1\nkind: AdmissionConfiguration',
      'no kind "AdmissionConfiguration" is registered for version "apiserver.config.k8s.io/v1beta1" in scheme "pkg/runtime/scheme.go:111"',
    ],
    [
      `${HEAD}foo: 1\nplugins:\n- name: a\n  bar: 2`,
      'strict decoding error: unknown field "foo", unknown field "plugins[0].bar"',
    ],
    [
      `${HEAD}plugins: []\nplugins: []`,
      'strict decoding error: yaml: unmarshal errors:\n  line 4: key "plugins" already set in map',
    ],
    [
      `${HEAD}plugins: {}`,
      'json: cannot unmarshal object into Go struct field AdmissionConfiguration.plugins of type []v1.AdmissionPluginConfiguration',
    ],
    [
      `${HEAD}plugins:\n- name: 1`,
      'json: cannot unmarshal number into Go struct field AdmissionPluginConfiguration.plugins.name of type string',
    ],
  ])('%j', (text, problem) => {
    expect(() => alone(text)).toThrow(new Error(`failed to apply admission: failed to read plugin config: ${problem}`));
  });

  test('missing files', () => {
    expect(() => reading({})).toThrow(
      'failed to apply admission: failed to read plugin config: unable to read admission control configuration from "/etc/admission.yaml" [open /etc/admission.yaml: no such file or directory]',
    );
    expect(() => alone(`${HEAD}plugins: [{name: PodSecurity, path: x}]`)).toThrow(
      "Couldn't open admission plugin configuration /etc/x: open /etc/x: no such file or directory",
    );
  });
});
