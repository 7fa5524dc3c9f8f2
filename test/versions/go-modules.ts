import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

/** The folder of a published Go module, which Go fetches unless it has it. */
export function moduleFolder(path: string, version: string): string {
  const done = spawnSync('go', ['mod', 'download', '-json', `${path}@${version}`], { encoding: 'utf8' });
  if (done.error !== undefined) throw new Error('Cannot fetch a Go module: there is no go here', { cause: done.error });
  const answer = JSON.parse(done.stdout) as { readonly Dir?: string; readonly Error?: string };
  if (answer.Dir === undefined) throw new Error(`Cannot fetch ${path}@${version}: ${answer.Error ?? done.stderr}`);
  return answer.Dir;
}

/** The modules with the Go types of a release such as `v1.36.3`, and how the OpenAPI names of what is in them begin. */
export function typeFolders(release: string): readonly (readonly [folder: string, prefix: string])[] {
  const staging = release.replace(/^v1\./, 'v0.');
  const inModule = (name: string, ...path: string[]): string => join(moduleFolder(`k8s.io/${name}`, staging), ...path);
  return [
    [inModule('api'), 'io.k8s.api'],
    [inModule('apimachinery', 'pkg', 'apis', 'meta', 'v1'), 'io.k8s.apimachinery.pkg.apis.meta.v1'],
    [
      inModule('apiextensions-apiserver', 'pkg', 'apis', 'apiextensions'),
      'io.k8s.apiextensions-apiserver.pkg.apis.apiextensions',
    ],
    [inModule('kube-aggregator', 'pkg', 'apis', 'apiregistration'), 'io.k8s.kube-aggregator.pkg.apis.apiregistration'],
  ];
}
