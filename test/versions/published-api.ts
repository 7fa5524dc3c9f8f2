import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { moduleFolder } from './go-modules.ts';
import type { ApiDocuments, ResourceList } from './outline.ts';

interface AggregatedGroups {
  readonly items: readonly {
    readonly metadata: { readonly name: string };
    readonly versions: readonly { readonly version: string }[];
  }[];
}

/**
 * The documents that a release of Kubernetes publishes in its Go module: those of a server with all of its APIs and features. The paths of
 * logs are left out: they are no part of the API.
 */
export function publishedApi(release: string): ApiDocuments {
  const folder = join(moduleFolder('k8s.io/kubernetes', release), 'api');
  const read = <T>(...path: string[]): T => JSON.parse(readFileSync(join(folder, ...path), 'utf8')) as T;
  const namesIn = (...path: string[]): string[] => readdirSync(join(folder, ...path)).sort();
  const v2 = read<{ readonly paths: Readonly<Record<string, unknown>> }>('openapi-spec', 'swagger.json');
  const paths = Object.entries(v2.paths).filter(([path]) => !path.startsWith('/logs/'));
  const documents = namesIn('openapi-spec', 'v3').filter((name) => !name.startsWith('logs'));
  const lists = namesIn('discovery').filter((name) => /^apis?__(?:.*__)?v\d\w*\.json$/.test(name));
  return {
    v2: { ...v2, paths: Object.fromEntries(paths) },
    v3: documents.map((name) => read('openapi-spec', 'v3', name)),
    lists: lists.map((name) => read<ResourceList>('discovery', name)),
    values: publishedValues(release),
    groups: read<AggregatedGroups>('discovery', 'aggregated_v2.json').items.map(({ metadata, versions }) =>
      [metadata.name, ...versions.map(({ version }) => version)].join(' '),
    ),
  };
}

/** The values that the generated documents of a release's types name: servers publish them, the documents of the module do not. */
function publishedValues(release: string): Record<string, string> {
  const folder = moduleFolder('k8s.io/kubernetes', release);
  const text = readFileSync(join(folder, 'pkg', 'generated', 'openapi', 'zz_generated.openapi.go'), 'utf8');
  const values: Record<string, string> = {};
  for (const [, type = '', body = ''] of text.matchAll(/\nfunc schema_k8sio_api_(\w+)\(ref [^\n]*\{(.*?)\n\}\n/gs)) {
    let field = '';
    for (const line of body.split('\n')) {
      field = /^\t{5}"(.+)": \{$/.exec(line)?.[1] ?? field;
      const listed = /^\t+Enum:\s*\[\]interface\{\}\{(.*)\},$/.exec(line)?.[1];
      if (listed === undefined) continue;
      values[`io.k8s.api.${type.replaceAll('_', '.')}.${field}`] = (JSON.parse(`[${listed}]`) as string[])
        .sort()
        .join(' ');
    }
  }
  return values;
}
