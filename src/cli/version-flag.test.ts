import { expect, test } from 'vitest';
import { KUBERNETES_VERSION, keelsonVersion } from '../base/index.ts';
import { Flags } from './flags.ts';
import { versionAsked, versionFlags } from './version-flag.ts';

const OTHERS = { other: { type: 'string', help: '' } } as const;

function asked(...args: readonly string[]): ReturnType<typeof versionAsked> {
  return versionAsked(new Flags(args, { ...versionFlags, ...OTHERS }));
}

test.each(['--version', '--version=true', '--version=1', '--version=T'])('%s prints the version', (flag) => {
  expect(asked(flag, '--other', 'x')).toEqual({
    printed: `Kubernetes ${KUBERNETES_VERSION}+keelson-${keelsonVersion()}`,
  });
});

test('--version=raw prints all fields', () => {
  expect(asked('--version=raw').printed).toMatch(
    /^version\.Info\{Major:"1", Minor:"\d+", .*GitVersion:"v1\..*Platform:"[^"]+"\}$/,
  );
});

test.each(['--version=false', '--version=0', '--other=x'])('%s prints nothing', (flag) => {
  expect(asked(flag)).toEqual({});
});

test.each([KUBERNETES_VERSION, `${KUBERNETES_VERSION}-custom`, `${KUBERNETES_VERSION}-a.1+b.02`])(
  '%s can be reported',
  (text) => {
    expect(asked(`--version=${text}`)).toEqual({ reported: text });
  },
);

test.each([
  ['v1.2.3', 'is another release than'],
  ['v1.36', 'is not a semantic version'],
  [`${KUBERNETES_VERSION}-01`, 'is not a semantic version'],
  [`${KUBERNETES_VERSION}"<`, 'is not a semantic version'],
  ['x', 'must be true, false, raw or a version'],
  ['', 'must be true, false, raw or a version'],
])('--version=%s is refused', (text, problem) => {
  expect(() => asked(`--version=${text}`)).toThrow(problem);
});
