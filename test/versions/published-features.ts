import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { defaultFeatures } from '../../src/api/index.ts';
import type { KubernetesVersion } from '../../src/base/index.ts';
import { moduleFolder } from './go-modules.ts';

/** The features that a release's kube-apiserver prints, with their defaults, from the Go sources that declare them. */
function publishedFeatures(release: string): ReadonlyMap<string, boolean> {
  const minor = Number(release.split('.')[1]);
  const sources = sourceFiles(release).map((file) => withoutComments(readFileSync(file, 'utf8')));
  const names = new Map(
    sources.flatMap((text) =>
      [...text.matchAll(/(\w+)\s+(?:\w+\.)?Feature\s*=\s*"(\w+)"/g)].map(([, constant = '', name = '']) => [
        constant,
        name,
      ]),
    ),
  );
  // Two that every program has, declared in code.
  const features = new Map([
    ['AllAlpha', false],
    ['AllBeta', false],
  ]);
  for (const text of sources) {
    for (const [, constant = '', body = ''] of text.matchAll(/\n\t+([\w.]+):\s*\{((?:\s*\{[^\n]*\},?)+)\s*\}/g)) {
      const isOn = defaultIn(body, minor);
      if (isOn !== undefined) features.set(nameOf(constant, names), isOn);
    }
    // Features of clients had no versions at first.
    for (const [, constant = '', isOn] of text.matchAll(/\n\t+([\w.]+):\s*\{\s*Default: (\w+)/g)) {
      features.set(nameOf(constant, names), isOn === 'true');
    }
  }
  return features;
}

/** The name of the feature that a constant holds; the constant may be one of another package. */
function nameOf(constant: string, names: ReadonlyMap<string, string>): string {
  const own = constant.slice(constant.lastIndexOf('.') + 1);
  return names.get(own) ?? own;
}

/** The default of the latest specification that is no later than the release. */
function defaultIn(specifications: string, minor: number): boolean | undefined {
  const all = [...specifications.matchAll(/MustParse\("1\.(\d+)"\).*?Default: (\w+)/g)];
  return all
    .filter(([, since]) => Number(since) <= minor)
    .map(([, , isOn]) => isOn === 'true')
    .at(-1);
}

function sourceFiles(release: string): string[] {
  const staging = release.replace(/^v1\./, 'v0.');
  const inModule = (name: string, ...path: string[]): string => join(moduleFolder(`k8s.io/${name}`, staging), ...path);
  return [
    join(moduleFolder('k8s.io/kubernetes', release), 'pkg', 'features', 'kube_features.go'),
    inModule('apiserver', 'pkg', 'features', 'kube_features.go'),
    inModule('apiextensions-apiserver', 'pkg', 'features', 'kube_features.go'),
    inModule('client-go', 'features', 'known_features.go'),
    ...goFilesIn(inModule('component-base')).filter((path) => /features[^/]*\.go$/.test(path)),
    ...goFilesIn(inModule('controller-manager', 'pkg', 'features')),
  ];
}

function goFilesIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.go') && !path.endsWith('_test.go'))
    .map((path) => join(folder, path));
}

function withoutComments(text: string): string {
  return text.replace(/(^|\s)\/\/[^\n]*/g, '$1');
}

/** The features whose default is not that of the release, or that only one side has. */
export function differentFeatures(version: KubernetesVersion, release: string): readonly string[] {
  const [ours, theirs] = [defaultFeatures(version), publishedFeatures(release)];
  return [...new Set([...ours.keys(), ...theirs.keys()])]
    .sort()
    .filter((name) => ours.get(name) !== theirs.get(name))
    .map((name) => `feature ${name}: ours ${stateOf(ours.get(name))}, theirs ${stateOf(theirs.get(name))}`);
}

function stateOf(isOn: boolean | undefined): string {
  return isOn === undefined ? 'none' : isOn ? 'on' : 'off';
}
